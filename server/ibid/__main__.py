"""The command ``ibid``: the hook first, for it must start fast; then the rest."""

from __future__ import annotations

import io
import os
import sys


def main() -> None:
    """Run the command line; ``ibid hook`` is dispatched before it is imported."""
    if sys.argv[1:2] == ["hook"] and sys.argv[2:] and "--help" not in sys.argv:
        from ibid.faces.hooks import quick

        if "--after" not in sys.argv:
            quick.install()
        from ibid.faces.hooks.entry import main as hook

        hook(sys.argv[2:])
    from ibid.faces.cli.main import cli

    # Words are UTF-8 whatever the locale says; so is what is printed.
    words = [os.fsencode(word).decode("utf-8", "surrogateescape") for word in sys.argv]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
    cli(prog_name="ibid", args=words[1:])


if __name__ == "__main__":
    main()
