"""``ibid/import``, ``ibid/export`` and ``ibid/verify``: what takes its time."""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import TYPE_CHECKING

from ibid.duties import exporting, importing
from ibid.faces import shapes
from ibid.faces.lsp.dispatch import Feature, Kind
from ibid.faces.lsp.hub import path_of
from ibid.faces.lsp.params import Params
from ibid.store import transcripts
from ibid.store.verify import verify as verify_store

if TYPE_CHECKING:
    from ibid.faces.lsp.hub import Hub
    from ibid.faces.lsp.progress import Work
    from ibid.faces.lsp.server import IbidServer


class ImportParams(Params):
    """Files and folders to import; none: what the agents keep of the project."""

    paths: list[str] = []


class ExportParams(Params):
    """A session whose kept files are wanted."""

    session: str


class VerifyParams(Params):
    """How thorough to be."""

    quick: bool = False


def register(server: IbidServer, hub: Hub) -> None:
    """Serve import, export and verify, with progress."""

    def import_(params: ImportParams, work: Work) -> shapes.Json:
        memory = hub.memory(params.project)
        if params.paths:
            paths = [Path(path_of(one)) for one in params.paths]
            files = importing.find_transcripts(paths)
        else:
            files = importing.machine_transcripts(dict(os.environ), Path.home())
            files = [one for one in files if importing.belongs(one, memory)]
        run = importing.ImportRun(files, memory)
        for step in run.steps():
            work.check()
            shown = f"{step.done + 1} of {step.files} files"
            work.report(shown, step.bytes, max(1, step.total))
        return run.report.as_dict()

    def export(params: ExportParams, work: Work) -> shapes.Json:
        memory = hub.memory(params.project)
        row = memory.sessions.load(params.session)
        connection = memory.store.read()
        files = []
        for one in transcripts.list_transcripts(connection, row["id"]):
            work.check()
            data = b"".join(exporting.read_transcript(memory, one))
            files.append(
                {
                    "name": one.name,
                    "base64": base64.b64encode(data).decode("ascii"),
                    "bytes": len(data),
                    "cut": bool(one.cut),
                }
            )
        return {"files": files}

    def verify(params: VerifyParams, work: Work) -> shapes.Json:
        memory = hub.memory(params.project)
        problems = verify_store(memory.store.read(), full=not params.quick)
        rows = [problem._asdict() for problem in problems]
        return {"ok": not rows, "problems": rows}

    for feature in (
        Feature(
            method="ibid/import",
            params=ImportParams,
            kind=Kind.LONG,
            handler=import_,
            title="Importing sessions",
        ),
        Feature(
            method="ibid/export",
            params=ExportParams,
            kind=Kind.LONG,
            handler=export,
            title="Exporting",
        ),
        Feature(
            method="ibid/verify",
            params=VerifyParams,
            kind=Kind.LONG,
            handler=verify,
            title="Verifying the store",
        ),
    ):
        server.register(feature)
