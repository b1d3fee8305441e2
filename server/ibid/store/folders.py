"""Folders that only their owner may enter."""

from __future__ import annotations

import os


def ensure_private(folder: str) -> None:
    """Make a folder and those above it that are missing, each with mode 0700.

    ``os.makedirs`` gives its mode to the last one only.

    Raises:
        OSError: one cannot be made.
    """
    above = os.path.dirname(folder)
    if above != folder and not os.path.isdir(above):
        ensure_private(above)
    os.makedirs(folder, mode=0o700, exist_ok=True)
