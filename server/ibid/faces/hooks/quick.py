"""Make this process start quicker: a hook's, and no other (R3).

Nothing is collected, for all that is imported stays.  And a hook imports some fifty
`typing.NamedTuple` classes and makes records of a dozen: Python compiles a constructor
for each class when it is defined, here that waits until the first record is made, which
saves a fifth of what a hook may cost.  The classes are the same otherwise: tuples with
names, defaults and the methods of `collections`' named tuples.
"""

from __future__ import annotations

import gc
import typing
from typing import Any

try:
    from _collections import _tuplegetter  # type: ignore[import-not-found]
except ImportError:  # Not this Python: records are defined as ever.
    _tuplegetter = None


def install() -> None:
    """Let what is imported from now on define its records so."""
    gc.disable()
    if _tuplegetter is not None:
        typing.NamedTuple = _Waiting  # type: ignore[misc, assignment]


class _Methods(tuple):  # type: ignore[type-arg]
    """What a named tuple can do besides what a tuple can."""

    __slots__ = ()
    _fields: typing.ClassVar[tuple[str, ...]] = ()
    _field_defaults: typing.ClassVar[dict[str, Any]] = {}

    def __new__(cls, *given: Any, **named: Any) -> Any:
        """Make the first record of a class: now its constructor is needed."""
        owner = next(one for one in cls.__mro__ if "_fields" in vars(one))
        owner.__new__ = _constructor(owner)  # type: ignore[method-assign]
        return owner.__new__(cls, *given, **named)

    @classmethod
    def _make(cls, values: Any) -> Any:
        made = tuple.__new__(cls, values)
        if len(made) != len(cls._fields):
            raise TypeError(f"Expected {len(cls._fields)} values, got {len(made)}")
        return made

    def _replace(self, **changed: Any) -> Any:
        made = self._make(map(changed.pop, self._fields, self))
        if changed:
            raise ValueError(f"Got unexpected field names: {list(changed)!r}")
        return made

    def _asdict(self) -> dict[str, Any]:
        return dict(zip(self._fields, self, strict=True))

    def __repr__(self) -> str:
        shown = (f"{name}={value!r}" for name, value in self._asdict().items())
        return f"{type(self).__name__}({', '.join(shown)})"

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)


def _constructor(cls: type[_Methods]) -> Any:
    """Return the constructor of a record, with its fields as parameters."""
    fields, defaults = cls._fields, cls._field_defaults
    names = ", ".join(fields)
    code = f"lambda _cls, {names}: _new(_cls, ({names},))"
    made = eval(code, {"_new": tuple.__new__})  # noqa: S307 - the names of fields.
    made.__defaults__ = tuple(defaults.values())
    return staticmethod(made)


class _Meta(type):
    """Makes the class of a record from its annotations."""

    def __new__(mcs, name: str, bases: Any, space: dict[str, Any]) -> Any:
        if not bases:
            return super().__new__(mcs, name, bases, space)
        fields = tuple(space.get("__annotations__", ()))
        defaults = {field: space.pop(field) for field in fields if field in space}
        for at, field in enumerate(fields):
            space[field] = _tuplegetter(at, "")
        space |= {
            "__slots__": (),
            "__match_args__": fields,
            "_fields": fields,
            "_field_defaults": defaults,
        }
        return type.__new__(type, name, (_Methods,), space)


class _Waiting(metaclass=_Meta):
    """Stands for `typing.NamedTuple`."""
