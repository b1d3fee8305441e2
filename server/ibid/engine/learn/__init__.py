"""How turns become memories: ingest, capture, settle, merge, profile."""
