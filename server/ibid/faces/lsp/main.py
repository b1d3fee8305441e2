"""Start the language server of a process."""

from __future__ import annotations

import os

from ibid import __version__
from ibid.faces.lsp.features import FEATURES
from ibid.faces.lsp.hub import Hub
from ibid.faces.lsp.server import create_server, run_stdio


def run() -> int:
    """Serve a client on standard input and output; return the exit status."""
    os.umask(0o077)
    hub = Hub()
    server = create_server(hub, __version__, FEATURES)
    hub.server = server
    return run_stdio(server)
