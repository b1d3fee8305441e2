"""Floor 1: the workspace's files and other people's settings."""
