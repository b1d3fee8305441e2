"""The command line: one verb a module, the same shapes as the wire (R6)."""

from __future__ import annotations

import click

from ibid import __version__
from ibid.faces.cli.commands import (
    handing,
    memory,
    notes,
    projects,
    reads,
    replaying,
    report,
    review,
    server,
    setup,
    system,
    texts,
)
from ibid.faces.cli.options import Settings

_COMMANDS = (
    server.lsp,
    server.mcp,
    server.hook,
    memory.import_,
    memory.recall,
    memory.search,
    memory.expand,
    reads.read,
    reads.reads,
    notes.note,
    review.review,
    memory.receipts,
    handing.handoff,
    handing.claim,
    handing.instructions,
    system.session,
    system.policy,
    projects.project,
    texts.capture,
    texts.redact,
    system.export,
    projects.restore,
    system.verify,
    report.report,
    replaying.replay,
    setup.setup,
    setup.doctor,
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--project", metavar="DIR", help="A folder of the project.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.version_option(__version__, prog_name="ibid")
@click.pass_context
def cli(context: click.Context, project: str | None, as_json: bool) -> None:
    """Project memory for coding agents: offline, reviewed, sourced and paid for.

    Without --project the project is the one that the current folder is in.
    """
    context.obj = Settings(project, as_json)


for _command in _COMMANDS:
    cli.add_command(_command)
