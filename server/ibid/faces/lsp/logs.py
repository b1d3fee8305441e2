"""Send the log to the client's output channel.

Clients show whatever comes on stderr as an error, so only fatal lines go there, and
what goes wrong before the client can listen.  A record's traceback is never written:
`guard.log_error` says where something failed without quoting anything.
"""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from .protocol import SafeProtocol

_TYPES = (
    (logging.ERROR, types.MessageType.Error),
    (logging.WARNING, types.MessageType.Warning),
    (logging.INFO, types.MessageType.Info),
    (logging.NOTSET, types.MessageType.Log),
)


def attach_log(protocol: SafeProtocol, level: int = logging.INFO) -> ClientLog:
    """Let Ibid's records from ``level`` up reach the client behind ``protocol``."""
    handler = ClientLog(protocol)
    ours = logging.getLogger("ibid")
    ours.addHandler(handler)
    ours.setLevel(level)
    return handler


class ClientLog(logging.Handler):
    """Writes records as ``window/logMessage``."""

    def __init__(self, protocol: SafeProtocol) -> None:
        super().__init__()
        self._protocol = protocol

    def emit(self, record: logging.LogRecord) -> None:
        """Send one record; from any thread."""
        text = f"{record.name}: {record.getMessage()}"
        if record.levelno >= logging.CRITICAL or not self._protocol.initialized:
            if record.levelno >= logging.WARNING and sys.stderr is not None:
                sys.stderr.write(f"{text}\n")
                sys.stderr.flush()
            return
        kind = next(kind for level, kind in _TYPES if record.levelno >= level)
        params = {"type": kind.value, "message": text}
        self._protocol.tell(types.WINDOW_LOG_MESSAGE, params)
