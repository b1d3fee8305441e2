"""Floor 0: pure functions on str and bytes; no I/O, no clock, no state."""
