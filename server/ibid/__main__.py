"""The command ``ibid``: the hook first, for it must start fast; then the rest."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; ``ibid hook`` is dispatched before it is imported."""
    from ibid.faces.cli.main import cli

    cli(prog_name="ibid", args=sys.argv[1:])


if __name__ == "__main__":
    main()
