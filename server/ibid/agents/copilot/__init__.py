"""GitHub Copilot in VS Code and on the command line: its hooks."""
