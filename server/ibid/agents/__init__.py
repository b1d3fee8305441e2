"""Floor 1: one folder an agent; bytes become canonical events; nothing is written."""
