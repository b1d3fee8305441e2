"""How memories come back: ranking, the block and its receipt."""
