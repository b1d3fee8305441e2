"""``ibid lsp``, ``ibid mcp`` and ``ibid hook``: what editors and agents start."""

from __future__ import annotations

import click

from ibid.faces.cli.options import Settings


@click.command()
@click.option("--stdio", is_flag=True, hidden=True, help="The only way it talks.")
@click.option("--project", hidden=True, help="The client says which folders are open.")
@click.option("--json", "as_json", is_flag=True, hidden=True)
def lsp(stdio: bool, project: str | None, as_json: bool) -> None:
    """Run the language server, as an editor starts it."""
    from ibid.faces.lsp.main import run

    raise SystemExit(run())


@click.command()
@click.option("--project", default="", metavar="DIR", help="A folder of the project.")
@click.option("--json", "as_json", is_flag=True, hidden=True)
@click.pass_obj
def mcp(settings: Settings | None, project: str, as_json: bool) -> None:
    """Run the MCP server, as an agent starts it: six tools over standard input."""
    from ibid.faces.mcp.main import run

    outer = None if settings is None else settings.project
    raise SystemExit(run(project or outer or ""))


@click.command()
@click.argument("agent")
@click.argument("event", default="")
@click.option("--project", default="", metavar="DIR", help="A folder of the project.")
@click.option("--json", "as_json", is_flag=True, hidden=True)
@click.pass_obj
def hook(
    settings: Settings | None, agent: str, event: str, project: str, as_json: bool
) -> None:
    """Answer one hook call of AGENT, as the agent makes it: JSON on standard input.

    Whatever goes wrong, it prints nothing and exits with 0; EVENT is for agents that
    do not name the event in their input.
    """
    from ibid.faces.hooks.main import run

    outer = None if settings is None else settings.project
    project = project or outer or ""
    run([agent, event, *([f"--project={project}"] if project else [])])
