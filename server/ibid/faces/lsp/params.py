"""Turn a request's parameters into the type its feature declared.

Our own methods take msgspec structs derived from `Params`, the standard methods take
lsprotocol's classes.  Unknown fields are ignored; what does not fit is refused by
the name of the field, and no value is ever repeated.
"""

from __future__ import annotations

import re
from typing import Any, cast

import cattrs
import msgspec
from lsprotocol import types


class Params(msgspec.Struct, rename="camel", kw_only=True):
    """Base of every ``ibid/…`` request's parameters (S1, docs/protocol.md).

    ``project`` is a path or ``file:`` URI in any folder of the project; ``None``
    means the first workspace folder.
    """

    project: str | None = None
    work_done_token: int | str | None = None


class ParamsError(Exception):
    """The parameters do not fit; the text names the field, camelCase, from ``$``."""


def params_type(method: str, declared: type | None = None) -> type | None:
    """Return what ``method``'s parameters become; ``None`` for a method without any.

    Raises:
        TypeError: a method of ours without a `Params` of its own.
    """
    if declared is not None:
        return declared
    known = types.METHOD_TO_TYPES.get(method)
    if known is None:
        raise TypeError(f"{method} needs a params type derived from Params")
    return cast("type | None", known[2])


def decode_params(converter: cattrs.Converter, raw: Any, kind: type | None) -> Any:
    """Return ``raw``, parsed JSON or ``None``, as ``kind``.

    Raises:
        ParamsError: it does not fit.
    """
    if kind is None:
        return None
    if raw is None:
        raw = {}
    if not isinstance(raw, dict):
        raise ParamsError("expected an object @ $")
    try:
        if issubclass(kind, msgspec.Struct):
            return msgspec.convert(raw, kind)
        return converter.structure(raw, kind)
    except msgspec.ValidationError as exc:
        raise ParamsError(_hide_value(str(exc))) from None
    except RecursionError:
        raise ParamsError("nested too deeply @ $") from None
    except Exception as exc:  # cattrs raises whatever a hook raised.
        raise ParamsError(_explain(exc)) from None


def _explain(exc: Exception) -> str:
    """Return cattrs' reasons with the field names the client knows."""
    reasons = "; ".join(cattrs.transform_error(exc) or ["invalid value @ $"])
    return _camel(re.sub(r"unknown error \(.*?\)", "invalid value", reasons))


def _camel(text: str) -> str:
    return re.sub(r"(?<=[a-z])_([a-z])", lambda match: match[1].upper(), text)


def _hide_value(reason: str) -> str:
    """Return msgspec's reason without the value it quotes for a bad literal."""
    return re.sub(r"^Invalid enum value .*?(?= - at `|$)", "Invalid value", reason)
