"""Floor 1: SQLite only; rows in, rows out; no policy."""
