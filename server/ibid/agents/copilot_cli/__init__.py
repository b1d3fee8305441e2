"""Copilot CLI, and what else runs on its runtime: its transcripts."""
