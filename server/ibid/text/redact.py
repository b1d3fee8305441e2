"""Find and mask secrets in whole texts, value by value (E1, E2, E3, E4).

Only the value goes: every other byte stays, so that ``password: [redacted:password]``
is still the line it was and prose about secrets is left alone.  This is defence in
depth and no guarantee: an unlabelled random string is left as it is, because it looks
like the hashes and ids that memory is made of.  Redact whole texts, never chunks: a
secret cut in two is found in neither half.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import namedtuple

from ibid.text import redact_gate as gate
from ibid.text.redact_prepare import soften, squeeze

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ibid.text.redact_labels import Label

    Found = tuple[int, int, str]

#: Raised whenever the rules change, so that rows made by older ones are re-made.
REDACT_VERSION = 2
#: How often masking may bring a next secret to light; twice was the most ever seen.
_ROUNDS = 16
#: Up to this length, looking whether rules are needed is cheaper than loading them.
_GATED = 4096
#: How many values are looked for again in the same text, the first ones found.
_REPEATED = 32


class Secret(namedtuple("Secret", ("start", "end", "kind"))):
    """One secret's place: character offsets of its value, and what it is."""

    __slots__ = ()
    start: int
    end: int
    kind: str


def find_secrets(text: str) -> list[Secret]:
    """Return the secrets in `text`, in order, none overlapping another (E2, E3)."""
    found = list(_scan(text))
    if not found:
        return []
    merged = _merge(found)
    again = _find_again(text, merged)
    return [Secret(*span) for span in (_merge([*merged, *again]) if again else merged)]


def has_secret(text: str) -> bool:
    """Whether `text` holds a secret; stops at the first (E1's gate at every exit)."""
    return next(_scan(text), None) is not None


def redact(text: str) -> str:
    """Return `text` with each secret's value replaced by ``[redacted:kind]`` (E2).

    Redacting twice gives the same as once; a text without secrets comes back as the
    same object.
    """
    for _ in range(_ROUNDS):
        secrets = find_secrets(text)
        if not secrets:
            break
        text = _mask(text, secrets)
    return text


def mask_values(text: str, values: Iterable[str], kind: str = "value") -> str:
    """Return `text` with every exact occurrence of `values` masked, then redacted.

    For values known from elsewhere, such as secret variables of the environment.
    Values under 6 characters and ordinary words are ignored: they occur by chance.
    """
    from ibid.text.redact_values import is_placeholder

    spans = [
        (start, start + len(value), kind)
        for value in values
        if len(value) >= 6 and not is_placeholder(value)
        for start in _occurrences(text, value)
    ]
    return redact(_mask(text, [Secret(*span) for span in _merge(spans)]))


def _scan(text: str) -> Iterator[Found]:
    """Yield raw spans, which may overlap, of the text and of its squeezed copy."""
    if len(text) < 6:
        return
    own: list[Found] = []
    for found in _rules(soften(text)):
        own.append(found)
        yield found
    squeezed = squeeze(text)
    if squeezed is None:
        return
    own = _merge(own)
    for start, end, kind in _rules(soften(squeezed.text)):
        first, last = squeezed.origin(start, end)
        at = bisect_left(own, (last, 0, ""))
        overlaps = at > 0 and own[at - 1][1] > first
        if not overlaps:
            yield first, last, kind


def _rules(soft: str) -> Iterator[Found]:
    """Yield what the rules find in a softened text; markers are never matched."""
    low = soft.lower()
    if not low.isascii():  # One byte a character is twice as quick to search.
        low = low.encode("ascii", "replace").decode("ascii")
    if gate.may_hold_key_block(soft):
        from ibid.text.redact_keys import find_key_blocks

        yield from find_key_blocks(soft)
    long = len(soft) > _GATED
    if long or gate.may_hold_shape(soft):
        from ibid.text.redact_shapes import find_shapes

        yield from find_shapes(soft)
    if long or gate.may_hold_form(soft, low):
        from ibid.text.redact_forms import find_forms

        yield from find_forms(soft, low)
    if long or gate.may_hold_command(low):
        from ibid.text.redact_commands import find_commands

        yield from find_commands(soft, low)
    if long or gate.may_hold_label(soft, low):
        yield from _labelled(soft, low)


def _labelled(soft: str, low: str) -> Iterator[Found]:
    """Yield what stands where the name of a credential announces it."""
    from ibid.text.redact_labels import find_labels

    begin = end = 0
    for label in find_labels(soft, low):
        if begin <= label.start < end:  # A name inside a value names nothing.
            continue
        for found in _of_label(soft, label):
            begin, end, _ = found
            yield found


def _of_label(soft: str, label: Label) -> Iterator[Found]:
    """Yield what the first reader finds that finds anything for `label`."""
    from ibid.text.redact_below import find_below
    from ibid.text.redact_places import find_values
    from ibid.text.redact_prose import find_told
    from ibid.text.redact_tables import find_behind, find_columns

    for reader in (find_values, find_behind, find_columns, find_below, find_told):
        found = list(reader(soft, label))
        if found:
            yield from found
            return


def _merge(found: list[Found]) -> list[Found]:
    """Unite overlapping spans; the kind of the longest wins, the first among equals."""
    merged: list[Found] = []
    size = 0
    for start, end, kind in sorted(found, key=lambda f: (f[0], -f[1])):
        if merged and start < merged[-1][1]:
            first, last, old = merged[-1]
            merged[-1] = (first, max(last, end), kind if end - start > size else old)
            size = max(size, end - start)
        else:
            merged.append((start, end, kind))
            size = end - start
    return merged


def _find_again(text: str, found: list[Found]) -> list[Found]:
    """Find the values of `found` where nothing announces them in the same text."""
    known = {text[start:end]: kind for start, end, kind in found}
    again: list[Found] = []
    for value, kind in list(known.items())[:_REPEATED]:
        if 8 <= len(value) <= 200 and "\n" not in value and _is_distinct(value):
            again += [(at, at + len(value), kind) for at in _occurrences(text, value)]
    return again


def _is_distinct(value: str) -> bool:
    digits = sum(c.isdigit() for c in value)
    return digits >= 2 and digits < len(value) and not value.islower()


def _occurrences(text: str, value: str) -> Iterator[int]:
    at = text.find(value)
    while at >= 0:
        end = at + len(value)
        if not (_is_word(text, at - 1) and _is_word(text, at)) and not (
            _is_word(text, end) and _is_word(text, end - 1)
        ):
            yield at
        at = text.find(value, end)


def _is_word(text: str, at: int) -> bool:
    char = text[at : at + 1] if at >= 0 else ""
    return char.isalnum() and char.isascii()


def _mask(text: str, secrets: list[Secret]) -> str:
    parts: list[str] = []
    at = 0
    for secret in secrets:
        parts += (text[at : secret.start], f"[redacted:{secret.kind}]")
        at = secret.end
    parts.append(text[at:])
    return "".join(parts)
