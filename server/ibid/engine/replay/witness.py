"""Whether what was injected came to be needed, told from what the agent wrote (P5).

In the past that is replayed nobody was given our text.  An item counts as *used* when
the agent wrote a distinctive name of it that nothing in its context had shown before,
and as *found* when a tool showed that name only after the item would have: then memory
held what the agent went and looked for.  Names that the prompt holds count for neither.
All of it is judged from left to right.
"""

from __future__ import annotations

from typing import NamedTuple

from ibid.engine.replay.names import last_part, names


class Told(NamedTuple):
    """What a text of the agent says of earlier injections."""

    entry: int  # Of the item, in the log.
    feature: str
    used: bool  # Else found.


class _Item:
    """One injected memory, and which of its names can still tell something."""

    __slots__ = ("entry", "feature", "fresh", "used")

    def __init__(self, entry: int, feature: str) -> None:
        self.entry = entry
        self.feature = feature
        self.fresh = True  # Nothing was said of it yet.
        self.used = False


class Witness:
    """One reader's context, as far as names go."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._watched: dict[str, list[_Item]] = {}  # Shown by nothing else.
        self._shown: dict[str, list[_Item]] = {}  # Shown by a tool afterwards.

    def watch(self, entry: int, feature: str, text: str, said: str) -> bool:
        """Watch for the names of an injected text; say whether it has any.

        ``said`` is the prompt it was injected with.
        """
        own = names(text)
        told = {*self._seen, *self._parts(names(said))}
        fresh = {name for name in own if not self._is_known(name, told)}
        item = _Item(entry, feature)
        for name in fresh:
            self._watched.setdefault(name, []).append(item)
        return bool(own)

    def said(self, text: str) -> list[Told]:
        """Note what the agent wrote; return which items that tells of, each once."""
        found = names(text)
        told = self._tell(found, self._watched, used=True)
        told += self._tell(found, self._shown, used=False)
        self._know(found)
        return told

    def shown(self, text: str) -> set[str]:
        """Note what a tool showed; return the features that had told a name of it."""
        found = self._parts(names(text))
        features: set[str] = set()
        for name in [one for one in self._watched if self._is_known(one, found)]:
            items = self._watched.pop(name)
            features |= {item.feature for item in items}
            self._shown.setdefault(name, []).extend(items)
        self._seen |= found
        return features

    def asked(self, text: str) -> None:
        """Note what the person wrote: its names are not memory's any more."""
        self._know(names(text))

    def _tell(
        self, found: set[str], where: dict[str, list[_Item]], *, used: bool
    ) -> list[Told]:
        told = []
        for name in sorted(found & where.keys()):
            for item in where.pop(name):
                if item.used or not (used or item.fresh):
                    continue
                item.fresh, item.used = False, used
                told.append(Told(item.entry, item.feature, used))
        return told

    def _know(self, found: set[str]) -> None:
        found = self._parts(found)
        for where in (self._watched, self._shown):
            for name in [one for one in where if self._is_known(one, found)]:
                del where[name]
        self._seen |= found

    @staticmethod
    def _parts(found: set[str]) -> set[str]:
        return found | {last_part(name) for name in found}

    @staticmethod
    def _is_known(name: str, known: set[str]) -> bool:
        return name in known or ("/" in name and last_part(name) in known)
