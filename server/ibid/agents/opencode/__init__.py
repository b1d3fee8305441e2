"""opencode: its sessions, in its database or exported."""
