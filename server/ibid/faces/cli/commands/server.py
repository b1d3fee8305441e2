"""``ibid lsp``: the language server on standard input and output."""

from __future__ import annotations

import click


@click.command()
@click.option("--stdio", is_flag=True, hidden=True, help="The only way it talks.")
@click.option("--project", hidden=True, help="The client says which folders are open.")
@click.option("--json", "as_json", is_flag=True, hidden=True)
def lsp(stdio: bool, project: str | None, as_json: bool) -> None:
    """Run the language server, as an editor starts it."""
    from ibid.faces.lsp.main import run

    raise SystemExit(run())
