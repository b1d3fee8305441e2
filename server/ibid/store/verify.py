"""Whether the store is what it should be: `ibid verify`.

`verify` only looks, and never raises for damage: it returns what is wrong, where, and
what to do.  The quick form reads no text; the full one makes every digest again, which
finds what SQLite's own check cannot see (a flipped byte in a blob).
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from ibid.errors import GoneError, IbidError, NotFoundError, StoreCorruptError
from ibid.store import archive, driver, frames, running, transcripts
from ibid.store.tables import MESSAGE_BITS, TERM_TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Check = Callable[[driver.Connection], Iterator["Problem"]]

MOST = 50  # Problems that one check reports at most.

_RESTORE = (
    "Open the project once more with `ibid doctor`: a damaged file is set aside and "
    "the newest good backup takes its place."
)
_OBSERVE = (
    "The text cannot be had back from here; read the file or run the command again."
)
_REREAD = (
    "`ibid import` reads the agent's own file again while it is there; what was said "
    "is still searchable."
)
_REINDEX = "Run `ibid import`: it makes the index again."
_REPORT = "Nothing is lost by it; please report it with this line."


class Problem(NamedTuple):
    """One thing that is wrong."""

    what: str
    where: str
    next: str


def verify(connection: driver.Connection, *, full: bool) -> list[Problem]:
    """Return everything that is wrong with the store; empty is good.

    ``full`` also reads every archived text and kept transcript: some 300 MB a second.
    At most `MOST` problems of a kind are returned, then one that says there are more.
    """
    checks: list[Check] = [_pages, _links, _means, *_RULES]
    if full:
        checks += [_texts, _transcripts]
    problems: list[Problem] = []
    for check in checks:
        found = _found(check, connection)
        problems += [problem for problem in found if problem not in problems]
    return problems


def _found(check: Check, connection: driver.Connection) -> list[Problem]:
    """Return what ``check`` finds, also when it cannot be carried to its end."""
    found: list[Problem] = []
    try:
        for problem in islice(check(connection), MOST + 1):
            found.append(problem)
    except (*frames.DAMAGE, IbidError) as error:
        found.append(Problem("not all of it can be read", str(error), _RESTORE))
    if len(found) > MOST:
        found[MOST] = Problem(f"more like this: {found[0].what}", "", found[0].next)
    return found


def _pages(connection: driver.Connection) -> Iterator[Problem]:
    """Let SQLite look at its own structure, the full-text indexes included.

    A connection that is open for long still holds the structure of an index that
    another has packed since; only a query makes it look anew, and the check itself
    would call it damage.
    """
    for name in TERM_TABLES:
        connection.execute(f"SELECT 1 FROM {name} WHERE rowid = 0").fetchone()
    for (line,) in connection.execute("PRAGMA quick_check"):
        if line != "ok":
            yield Problem("the file is damaged", str(line), _RESTORE)


def _links(connection: driver.Connection) -> Iterator[Problem]:
    for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check"):
        yield Problem(f"a row points to a missing {parent}", f"{table} {row}", _REPORT)


def _means(connection: driver.Connection) -> Iterator[Problem]:
    """Make the running means of the accounts again from their entries (P2, P3)."""
    due = running.recount(connection)
    for row in running.list_running(connection):
        has = running.Moments(row["samples"], row["mean"], row["squares"])
        should = due.pop((row["role"], row["feature"]), running.Moments())
        if not has.is_near(should):
            where = f"{row['feature']} of {row['role'] or 'no role'}"
            yield Problem("a running mean is not that of its entries", where, _REPORT)
    for role, feature in due:
        where = f"{feature} of {role or 'no role'}"
        yield Problem("entries have no running mean", where, _REPORT)


def _texts(connection: driver.Connection) -> Iterator[Problem]:
    """Make the digest of every archived text again, each frame read once (M1)."""
    rows = connection.execute(
        archive.SELECT + "WHERE state <> 'gone' ORDER BY frame, offset"
    ).fetchall()
    every = (archive.ArchiveRow(*row) for row in rows)
    for row, data in archive.load_many(connection, every):
        if data is None:
            # Perhaps it was moved or erased since the list was made: look again.
            try:
                archive.load_bytes(connection, row)
            except StoreCorruptError:
                where = f"archive #{row.id} {row.handle}"
                yield Problem("an archived text is damaged", where, _OBSERVE)
            except (GoneError, NotFoundError):
                continue


def _transcripts(connection: driver.Connection) -> Iterator[Problem]:
    """Make the digest of every part of every kept transcript again (M5)."""
    rows = connection.execute(
        "SELECT id, name FROM transcript WHERE gone IS NULL"
    ).fetchall()
    for number, name in rows:
        try:
            for _ in transcripts.load_transcript(connection, number):
                pass
        except StoreCorruptError as error:
            where = f"transcript {number} {name}: {error.__cause__ or error}"
            yield Problem("a kept transcript is damaged", where, _REREAD)
        except (GoneError, NotFoundError):
            continue  # Taken or erased since the list was made.


def _rule(what: str, following: str, where: str) -> Check:
    """Return a check that reports each row of the statement ``where``."""

    def check(connection: driver.Connection) -> Iterator[Problem]:
        for row in connection.execute(where):
            yield Problem(what, str(row[0]), following)

    return check


def _index_rules(table: str, there: str) -> list[Check]:
    """Return the checks of the index of ``table``; ``there``: rows that may be in it.

    A row that is to be found has a number of terms; one that went has none.
    """
    indexed = f"SELECT id FROM {table}_terms_docsize"
    return [
        _rule(
            "the index holds what is no longer there",
            _REINDEX,
            f"SELECT '{table} ' || id FROM ({indexed}) WHERE id NOT IN"
            f" (SELECT id FROM {table} WHERE {there})",
        ),
        _rule(
            "the index lacks what should be found",
            _REINDEX,
            f"SELECT '{table} ' || id FROM {table} WHERE length > 0 AND {there}"
            f" AND id NOT IN ({indexed})",
        ),
    ]


_RULES: list[Check] = [
    _rule(
        "an archived text is damaged",
        _OBSERVE,
        """SELECT 'archive #' || a.id || ' ' || a.handle FROM archive a
        LEFT JOIN frame f ON f.id = a.frame
        WHERE CASE a.state WHEN 'hot' THEN a.frame IS NOT NULL
            OR a.data IS NULL OR length(a.data) <> a.bytes
            WHEN 'cold' THEN a.data IS NOT NULL OR f.id IS NULL OR a.offset < 0
                OR a.offset + a.bytes > f.bytes
            WHEN 'gone' THEN a.data IS NOT NULL OR a.frame IS NOT NULL
                OR a.gone IS NULL
            ELSE 1 END""",
    ),
    _rule(
        "a handle is not that of its digest",
        _OBSERVE,
        """SELECT 'archive #' || id || ' ' || handle FROM archive
        WHERE digest NOT LIKE 'b3:' || handle || '%' OR length(handle) <> 24""",
    ),
    _rule(
        "a frame holds other than what its texts need",
        _REPORT,
        """SELECT 'frame ' || id FROM frame f WHERE bytes <>
        (SELECT coalesce(sum(a.bytes), 0) FROM archive a WHERE a.frame = f.id)
        OR NOT EXISTS (SELECT 1 FROM archive a WHERE a.frame = f.id)""",
    ),
    _rule(
        "a text went although something refers to it",
        _OBSERVE,
        """SELECT 'archive #' || a.id || ' for ' || r.kind || ' ' || r.owner
        FROM reference r JOIN archive a ON a.id = r.archive
        WHERE a.state = 'gone' AND r.until IS NULL""",
    ),
    _rule(
        "what refers to a text is not there",
        _REPORT,
        """SELECT DISTINCT kind || ' ' || owner FROM reference
        WHERE kind IN ('note', 'episode', 'pin')
        AND owner NOT IN (SELECT key FROM memory)""",
    ),
    _rule(
        "a kept transcript has a gap",
        _REREAD,
        """SELECT 'transcript ' || transcript || ' at byte ' || due FROM (
            SELECT transcript, start, lag(start + bytes, 1, 0) OVER
                (PARTITION BY transcript ORDER BY start) AS due
            FROM transcript_part) WHERE start <> due""",
    ),
    _rule(
        "a kept transcript is not as long as it should be",
        _REREAD,
        """SELECT 'transcript ' || id || ' ' || name FROM transcript t
        WHERE CASE WHEN gone IS NULL THEN bytes ELSE 0 END <>
            (SELECT coalesce(max(p.start + p.bytes), 0) FROM transcript_part p
            WHERE p.transcript = t.id)""",
    ),
    _rule(
        "a kept transcript is damaged",
        _REREAD,
        """SELECT 'transcript ' || t.transcript || ' at byte ' || t.start
        FROM transcript_part t JOIN part p ON p.id = t.part WHERE t.bytes <> p.bytes
        OR (p.codec = 'raw' AND length(p.data) <> p.bytes)
        OR p.codec NOT IN ('raw', 'light', 'zstd')""",
    ),
    _rule(
        "a part belongs to no transcript",
        _REPORT,
        """SELECT 'part ' || id FROM part
        WHERE id NOT IN (SELECT part FROM transcript_part)""",
    ),
    _rule(
        "the cuts of a transcript do not add up",
        _REPORT,
        """SELECT 'transcript ' || id || ' ' || name FROM transcript t
        WHERE gone IS NULL AND cut <> (SELECT coalesce(sum("end" - start), 0)
            FROM transcript_cut WHERE transcript = t.id)""",
    ),
    _rule(
        "a saving was taken back by more than it was",
        _REPORT,
        """SELECT 'entry ' || s.id FROM account s JOIN account b ON b.reverses = s.id
        GROUP BY s.id HAVING sum(b.tokens * b.times) > s.tokens * s.times""",
    ),
    _rule(
        "a message is not in its session's range",
        _REPORT,
        f"SELECT 'message ' || id FROM message WHERE id >> {MESSAGE_BITS} <> session",
    ),
    _rule(
        "evidence points to a message that is not there",
        _REPORT,
        """SELECT 'memory ' || memory || ' message ' || message FROM evidence
        WHERE message IS NOT NULL AND message NOT IN (SELECT id FROM message)""",
    ),
    _rule(
        "a candidate points to a message that is not there",
        _REPORT,
        """SELECT 'candidate ' || key || ' message ' || message FROM candidate
        WHERE message IS NOT NULL AND message NOT IN (SELECT id FROM message)""",
    ),
    _rule(
        "a receipt tells of what must not come from another project",
        _REPORT,
        """SELECT 'receipt #' || receipt || ' item ' || item FROM receipt_item
        WHERE project <> '' AND layer NOT IN ('L1', 'L2')""",
    ),
    _rule(
        "a row belongs to a session that is not there",
        _REPORT,
        """SELECT 'audit of turn ' || turn FROM audit
        WHERE session NOT IN (SELECT id FROM session)""",
    ),
    *_index_rules("message", "1"),
    *_index_rules("memory", "1"),
    *_index_rules("archive", "state <> 'gone'"),
]
