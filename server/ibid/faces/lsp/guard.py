"""Turn whatever a handler raised into the one answer a client may see.

Named errors keep their message, which was written for people.  Everything else
becomes ``failed`` with a short id; the log repeats the id with the kind of error and
the places it passed, never its message, since that may quote a note.
"""

from __future__ import annotations

import logging
import secrets
from types import TracebackType
from typing import Any, NamedTuple

from pygls.exceptions import JsonRpcException

from ibid.errors import IbidError

logger = logging.getLogger(__name__)

FAILED = -33000

CODES = {
    "invalid": -32602,
    "notFound": -33001,
    "ambiguous": -33002,
    "conflict": -33003,
    "gone": -33004,
    "disabled": -33005,
    "store": -33010,
    "storeBusy": -33010,
    "storeCorrupt": -33010,
    "storeReadOnly": -33010,
    "storeTooNew": -33010,
}
"""JSON-RPC codes by ``data.code``; a name that is not here is ``failed``."""

_FRAMES = 6


class Refusal(NamedTuple):
    """An error answer: JSON-RPC code, message for people, and ``data.code``."""

    code: int
    message: str
    name: str

    def to_wire(self) -> dict[str, Any]:
        """Return the ``error`` member of a response."""
        data = {"code": self.name}
        return {"code": self.code, "message": self.message, "data": data}


PARSE = Refusal(-32700, "the message is not JSON in UTF-8", "parse")
NO_REQUEST = Refusal(-32600, "this is no JSON-RPC 2.0 request", "request")
NO_BATCH = Refusal(-32600, "batches are not served: send single messages", "request")
ID_IN_USE = Refusal(-32600, "a request with this id is still being served", "request")
TWICE = Refusal(-32600, "the server is initialized already", "request")
ENDING = Refusal(-32600, "the server is shutting down", "request")
TOO_EARLY = Refusal(-32002, "send initialize first", "notInitialized")
CANCELLED = Refusal(-32800, "cancelled", "cancelled")


def invalid_params(method: str, why: str) -> Refusal:
    """Return the refusal of parameters that do not fit; ``why`` names the field."""
    return Refusal(CODES["invalid"], f"{method}: {why}", "invalid")


def unknown_method(method: str) -> Refusal:
    """Return the refusal of a method nobody registered."""
    return Refusal(-32601, f"unknown method {method[:100]!r}", "method")


def describe_error(exc: BaseException, what: str) -> Refusal:
    """Return the answer to a call of ``what`` that raised ``exc``, and log it.

    ``what`` is a method or command we registered, so it is safe to log.
    """
    if isinstance(exc, JsonRpcException):
        return Refusal(exc.code, exc.message, "failed")
    if isinstance(exc, IbidError) and exc.code in CODES:
        logger.debug("%s refused: %s", what, exc.code)
        return Refusal(CODES[exc.code], str(exc) or exc.code, exc.code)
    ident = log_error(exc, what)
    if isinstance(exc, IbidError):
        return Refusal(FAILED, f"{exc} (error {ident})", "failed")
    message = f"{what} failed; the server's log tells more under error {ident}"
    return Refusal(FAILED, message, "failed")


def log_error(exc: BaseException, what: str) -> str:
    """Log the kind and places of ``exc`` under a fresh short id; return the id."""
    ident = secrets.token_hex(4)
    kinds = [type(exc).__name__]
    cause = exc.__cause__ or exc.__context__
    while cause is not None and len(kinds) < _FRAMES:
        kinds.append(type(cause).__name__)
        cause = cause.__cause__ or cause.__context__
    places = " < ".join(_places(exc.__traceback__))
    logger.error("error %s in %s: %s at %s", ident, what, " from ".join(kinds), places)
    return ident


def _places(trace: TracebackType | None) -> list[str]:
    """Return ``module:line function`` of the innermost frames, innermost first."""
    places = []
    while trace is not None:
        module = trace.tb_frame.f_globals.get("__name__", "?")
        name = trace.tb_frame.f_code.co_name
        places.append(f"{module}:{trace.tb_lineno} {name}")
        trace = trace.tb_next
    return places[::-1][:_FRAMES]
