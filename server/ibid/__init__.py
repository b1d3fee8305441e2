"""Ibid: a project memory that lives beside the editor."""

__version__ = "0.1.0"
