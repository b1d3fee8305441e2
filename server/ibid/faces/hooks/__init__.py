"""The hook face: fails open, starts fast."""
