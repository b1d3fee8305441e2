"""Copilot Chat in VS Code: its sessions."""
