"""Neutral events: for agents without a reader of their own, and for tests."""
