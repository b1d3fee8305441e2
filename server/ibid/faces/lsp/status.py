"""``ibid/status``: how the memory of a project is doing (R1).

This is also the pattern of a feature module.  It exports ``register(server, hub)``,
which closes over the hub and registers one `Feature` for each method::

    class PinParams(Params):          # msgspec; project and workDoneToken come with it
        id: str                       # required; "$.id" is named when it is missing

    def register(server: IbidServer, hub: Hub) -> None:
        def pin(params: PinParams) -> dict[str, object]:
            return shapes.note(hub.memory(params.project).notes.pin(params.id))

        server.register(
            Feature(method="ibid/note/pin", params=PinParams, kind=Kind.WRITE,
                    handler=pin)
        )

The handler returns a struct, an lsprotocol object or plain JSON data, and raises
`ibid.errors`; the guard makes the answer of it.  A standard method needs no
``params`` and gets lsprotocol's class; its ``options`` become server capabilities.  A
`Kind.LONG` handler takes a `Work` besides: ``work.check()`` between batches and
``work.report("12 of 40 files", 12, 40)``.  A `Command` is an entry of
``workspace/executeCommand``, its id starting with ``ibid.server.``.  Then add the
module's ``register`` to `server.FEATURES`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from .dispatch import Feature, Kind
from .params import Params

if TYPE_CHECKING:
    from .server import IbidServer


class StatusHub(Protocol):
    """What this feature asks of the hub."""

    def status(self, project: str | None) -> dict[str, Any]:
        """Return the object of ``ibid/status``; ``None`` is the first folder."""


class StatusParams(Params):
    """No parameters of its own."""


def register(server: IbidServer, hub: StatusHub) -> None:
    """Serve ``ibid/status``."""

    def status(params: StatusParams) -> dict[str, Any]:
        return hub.status(params.project)

    server.register(
        Feature(
            method="ibid/status", params=StatusParams, kind=Kind.READ, handler=status
        )
    )
