"""Claude Code: its transcripts, hooks and settings."""
