"""The errors Ibid raises, and nothing else.

::

    IbidError
    ├── InputError            what the caller gave cannot be used; says what and where
    │   ├── NotFoundError     an id, handle, session or file that is not there
    │   ├── AmbiguousError    a prefix that several rows share
    │   └── ConflictError     the row changed since the caller read it
    ├── GoneError             it was there once: says when and why it went (M3)
    ├── DisabledError         a switch or policy forbids it (H2, H3)
    └── StoreError            the project's database
        ├── StoreBusyError    another process holds the lock too long
        ├── StoreCorruptError the file is damaged; it was set aside
        ├── StoreReadOnlyError  disk full, read-only folder or file
        └── StoreTooNewError  written by a newer Ibid

Engine and floors below raise these; one guard at each face turns them into a
JSON-RPC error, an MCP error or an exit status.  Every message says what happened,
where, and what to do next.
"""

from __future__ import annotations


class IbidError(Exception):
    """Base of all named errors."""

    code = "failed"


class InputError(IbidError):
    """What the caller gave cannot be used."""

    code = "invalid"


class NotFoundError(InputError):
    """An id, handle, session or file that is not there."""

    code = "notFound"


class AmbiguousError(InputError):
    """A prefix that several rows share."""

    code = "ambiguous"


class ConflictError(InputError):
    """The row changed since the caller read it; nothing was written."""

    code = "conflict"


class GoneError(IbidError):
    """It was there once; the message says when and why it went (M3)."""

    code = "gone"


class DisabledError(IbidError):
    """A switch or a session's policy forbids it (H2, H3, H4)."""

    code = "disabled"


class StoreError(IbidError):
    """The project's database cannot do what was asked."""

    code = "store"


class StoreBusyError(StoreError):
    """Another process held the write lock longer than the time-out."""

    code = "storeBusy"


class StoreCorruptError(StoreError):
    """The database file is damaged; it was set aside, never repaired in place."""

    code = "storeCorrupt"


class StoreReadOnlyError(StoreError):
    """The database cannot be written: disk full, or a read-only folder or file."""

    code = "storeReadOnly"


class StoreTooNewError(StoreError):
    """The database was written by a newer Ibid than this one."""

    code = "storeTooNew"
