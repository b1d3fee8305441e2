"""Gemini CLI: its transcripts."""
