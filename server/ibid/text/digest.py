"""Names made from content: digests, handles and keyed digests.

A digest is tagged with its algorithm (``b3:`` and 64 hex digits), so that a later
change of algorithm is visible.  A handle is the first 24 hex digits (M1).
"""

from __future__ import annotations

from blake3 import blake3

PREFIX = "b3:"
HANDLE_LENGTH = 24


def digest(data: bytes) -> str:
    """Return the tagged BLAKE3 digest of ``data``.

    >>> digest(b"")[:12]
    'b3:af1349b9f'
    """
    return PREFIX + blake3(data).hexdigest()


def handle(tagged: str) -> str:
    """Return the archive handle of a tagged digest: 24 hex digits (M1)."""
    return tagged[len(PREFIX) : len(PREFIX) + HANDLE_LENGTH]


def keyed(key: bytes, text: str, length: int = 16) -> str:
    """Return ``length`` hex digits that only a holder of the 32-byte ``key`` can make.

    For what must be recognised and must not be readable: tombstones, nonces (G4, K3).
    """
    return blake3(text.encode("utf-8", "replace"), key=key).hexdigest()[:length]
