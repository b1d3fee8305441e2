"""``ibid/doctor``: how Ibid, its agents and what is beside it are doing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibid.duties import doctor as examining
from ibid.duties.rivals import this_machine
from ibid.faces import shapes, standing
from ibid.faces.lsp.dispatch import Feature, Kind
from ibid.faces.lsp.params import Params

if TYPE_CHECKING:
    from ibid.faces.lsp.hub import Hub
    from ibid.faces.lsp.progress import Work
    from ibid.faces.lsp.server import IbidServer


class DoctorParams(Params):
    """A rival to let be beside Ibid, on the record."""

    allow: str = ""


def register(server: IbidServer, hub: Hub) -> None:
    """Serve the doctor's report; it may start agents to ask for their versions."""

    def doctor(params: DoctorParams, work: Work) -> shapes.Json:
        memory = hub.memory(params.project)
        if params.allow:
            memory.allow_rival(params.allow)
        work.check()
        return shapes.doctor(
            examining.examine(memory, this_machine(), standing.texts())
        )

    server.register(
        Feature(
            method="ibid/doctor", params=DoctorParams, kind=Kind.LONG, handler=doctor
        )
    )
