"""Cursor: its agent transcripts."""
