"""``ibid/replay``: past sessions once more, through a memory that is thrown away."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from ibid.duties import importing
from ibid.duties.replaying import Ground, ReplayRun
from ibid.faces import replays
from ibid.faces.lsp.dispatch import Feature, Kind
from ibid.faces.lsp.hub import path_of
from ibid.faces.lsp.params import Params

if TYPE_CHECKING:
    from ibid.faces.lsp.hub import Hub
    from ibid.faces.lsp.progress import Work
    from ibid.faces.lsp.server import IbidServer


class ReplayParams(Params):
    """Files and folders to play; none: what is still to be had of the project."""

    paths: list[str] = []


def register(server: IbidServer, hub: Hub) -> None:
    """Serve the replay, with progress; a cancelled one leaves nothing behind."""

    def replay(params: ReplayParams, work: Work) -> replays.Json:
        memory = hub.memory(params.project)
        ground = Ground(memory.home, memory.project.path)
        if params.paths:
            paths = [Path(path_of(one)) for one in params.paths]
            run = ReplayRun(importing.find_transcripts(paths), ground)
        else:
            files = importing.machine_transcripts(dict(os.environ), Path.home())
            files = [one for one in files if importing.belongs(one, memory)]
            run = ReplayRun(files, ground, memory)
        with closing(run.steps()) as steps:
            for step in steps:
                work.check()
                shown = f"{step.done} of {step.files} files"
                work.report(shown, step.bytes, max(1, step.total))
        return replays.replay(run)

    server.register(
        Feature(
            method="ibid/replay",
            params=ReplayParams,
            kind=Kind.LONG,
            handler=replay,
            title="Replaying sessions",
        )
    )
