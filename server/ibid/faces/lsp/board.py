"""What is published of each file, from several hands: one list a file (R1).

A client replaces what it was told of a file by what it is told next, so what note
files and stale notes have to say is put together here.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Board:
    """The diagnostics of each file by who put them; from any thread."""

    def __init__(self, tell: Callable[[str, object], None]) -> None:
        self._tell = tell
        self._lock = threading.Lock()
        self._layers: dict[str, dict[str, list[types.Diagnostic]]] = {}

    def put(self, uri: str, layer: str, found: Sequence[types.Diagnostic]) -> None:
        """Replace what ``layer`` says of a file, and tell it if that is new."""
        with self._lock:
            layers = self._layers.setdefault(uri, {})
            if layers.get(layer, []) == list(found):
                self._forget(uri)
                return
            layers[layer] = list(found)
            shown = [one for name in sorted(layers) for one in layers[name]]
            self._forget(uri)
            # Within the lock: what is told last must be what holds.
            self._tell(
                types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS,
                types.PublishDiagnosticsParams(uri=uri, diagnostics=shown),
            )

    def _forget(self, uri: str) -> None:
        if not any(self._layers[uri].values()):
            del self._layers[uri]
