"""Floor 3: what must go on while nobody asks."""
