"""Receipts and accounts: what was injected, and what it cost (I1, P1, P2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ibid.store import running

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ibid.store.driver import Connection, Row

COST, SAVING, BOUNCE = "cost", "saving", "bounce"

ERASED = "[erased]"  # What stands where a person erased words (I2).

# What a receipt says of the control group (P6).
GIVEN, WITHHELD, ASKED = "given", "withheld", "asked"


class NewReceipt(NamedTuple):
    """One injection, as it was sent."""

    name: str  # ``r-`` and a keyed digest of what was sent.
    kind: str  # block | pins | hint | handoff
    session: int | None
    native: str  # The session's own id, kept even when the session is not known yet.
    agent: str
    role: str
    at: int
    prompt: str  # Digest of the prompt, to bind the turn later.
    query: str  # The redacted query.
    text: str
    tokens: int
    estimator: str
    layers: str  # JSON: layer -> tokens.
    epoch: int = 0
    turn: int | None = None
    control: str = ""  # given | withheld | asked; "" no control group.


class ReceiptItem(NamedTuple):
    """One memory within an injection."""

    item: str
    layer: str
    category: str
    score: float
    text: str
    tokens: int
    source: str  # JSON of the source, or "null".
    project: str = ""  # The root of the project it is of; "" this one (S2).


class Entry(NamedTuple):
    """One entry of the accounts; never changed afterwards."""

    at: int
    session: int | None
    native: str
    role: str
    feature: str
    kind: str
    tokens: int
    times: int
    basis: str
    estimator: str
    receipt: int | None = None
    reverses: int | None = None  # The saving that a bounce takes back.
    pair: int | None = None  # The cost that a saving was paid with.


def add_receipt(
    connection: Connection, receipt: NewReceipt, items: Sequence[ReceiptItem]
) -> int:
    """Insert a receipt, its items and its cost; return its number (I1, P1).

    What was withheld cost nothing and has no entry.
    """
    done = connection.execute(
        """INSERT INTO receipt (name, kind, session, native, agent, role, at, prompt,
            query, text, tokens, estimator, layers, epoch, turn, control)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        receipt,
    )
    number = done.lastrowid
    assert number is not None
    connection.executemany(
        """INSERT INTO receipt_item (receipt, position, item, layer, category, score,
            text, tokens, source, project) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        [(number, position, *item) for position, item in enumerate(items)],
    )
    if receipt.control == WITHHELD:
        return int(number)
    cost = Entry(
        at=receipt.at,
        session=receipt.session,
        native=receipt.native,
        role=receipt.role,
        feature=receipt.kind,
        kind=COST,
        tokens=receipt.tokens,
        times=1,
        basis="text sent",
        estimator=receipt.estimator,
        receipt=number,
    )
    add_entry(connection, cost)
    return int(number)


def find_receipt(connection: Connection, name: str) -> Row | None:
    """Return the receipt numbered ``name`` (``#88``, ``88``) or the newest so named.

    The fence of a block carries the name ``r-…``, made from its content.
    """
    bare = name.removeprefix("#")
    column = "id" if bare.isdigit() else "name"
    row: Row | None = connection.execute(
        f"""SELECT r.*, t.number AS turn_number FROM receipt r
        LEFT JOIN turn t ON t.id = r.turn WHERE r.{column} = ?
        ORDER BY r.id DESC LIMIT 1""",
        (bare,),
    ).fetchone()
    return row


def receipt_items(connection: Connection, number: int) -> list[Row]:
    """Return a receipt's items in the order they were sent."""
    return connection.execute(
        "SELECT * FROM receipt_item WHERE receipt = ? ORDER BY position", (number,)
    ).fetchall()


class ReceiptPage(NamedTuple):
    """Which receipts to list."""

    session: str = ""
    note: str = ""
    limit: int = 100
    offset: int = 0


def list_receipts(connection: Connection, page: ReceiptPage) -> tuple[list[Row], int]:
    """Return one page of receipts, newest first, and how many there are."""
    where = "1"
    if page.session:
        where += " AND r.native = :session"
    if page.note:
        where += " AND r.id IN (SELECT receipt FROM receipt_item WHERE item = :note)"
    given = page._asdict()
    count = f"SELECT count(*) FROM receipt r WHERE {where}"
    total = int(connection.execute(count, given).fetchone()[0])
    sql = (
        "SELECT r.*, t.number AS turn_number FROM receipt r"
        f" LEFT JOIN turn t ON t.id = r.turn WHERE {where}"
        " ORDER BY r.id DESC LIMIT :limit OFFSET :offset"
    )
    return connection.execute(sql, given).fetchall(), total


def count_receipts(connection: Connection) -> int:
    """Return how many receipts there are."""
    return int(connection.execute("SELECT count(*) FROM receipt").fetchone()[0])


def sent_items(
    connection: Connection, native: str, epoch: int, since: int = 0
) -> dict[tuple[str, str], str]:
    """Return project, id and text of all that was sent to a session in one epoch (G2).

    What was sent after ``since``, the epoch's begin if that is known, counts whatever
    epoch it was thought to be in: a transcript tells of a compaction after its hook.
    """
    rows = connection.execute(
        """SELECT i.project, i.item, i.text
        FROM receipt r JOIN receipt_item i ON i.receipt = r.id
        WHERE r.native = ?1 AND (r.epoch = ?2 OR (?3 > 0 AND r.at > ?3))
        ORDER BY r.id""",
        (native, epoch, since),
    ).fetchall()
    return {(row["project"], row["item"]): row["text"] for row in rows}


def blank_items(connection: Connection, keys: Iterable[str], crossed: bool) -> set[str]:
    """Blank what was sent of the memories ``keys`` and keep the totals, marked (I2).

    ``crossed`` means those of other projects, else one's own.  Returns the lines.
    """
    own = "<>" if crossed else "="
    rows = []
    for key in keys:
        rows += connection.execute(
            "SELECT receipt, position, text FROM receipt_item"
            f" WHERE item = ? AND project {own} '' AND text <> ?",
            (key, ERASED),
        ).fetchall()
    blank_lines(connection, rows)
    return {row["text"] for row in rows if row["text"]}


def blank_lines(connection: Connection, rows: Iterable[Row]) -> None:
    """Blank sent lines, each with ``receipt``, ``position`` and ``text`` (I2)."""
    for row in rows:
        connection.execute(
            "UPDATE receipt SET text = replace(text, ?, ?), erased = 1,"
            " version = version + 1 WHERE id = ?",
            (row["text"], ERASED, row["receipt"]),
        )
        connection.execute(
            "UPDATE receipt_item SET text = ?, source = 'null'"
            " WHERE receipt = ? AND position = ?",
            (ERASED, row["receipt"], row["position"]),
        )


def has_items(connection: Connection, keys: Sequence[str]) -> bool:
    """Say whether any of the memories ``keys`` of other projects was ever sent."""
    marks = ", ".join("?" * len(keys))
    sql = f"SELECT 1 FROM receipt_item WHERE project <> '' AND item IN ({marks})"
    return connection.execute(sql, tuple(keys)).fetchone() is not None


def control_of(connection: Connection, native: str, kind: str) -> str | None:
    """Return what the first injection of a kind into a session says of the control.

    None when there was none; "" when it was given while nothing was compared.  What a
    tool was asked for tells nothing.
    """
    row = connection.execute(
        "SELECT control FROM receipt WHERE native = ? AND kind = ? AND control <> ?"
        " ORDER BY at, id LIMIT 1",
        (native, kind, ASKED),
    ).fetchone()
    return None if row is None else str(row[0])


def is_compared(connection: Connection) -> bool:
    """Say whether anything was ever withheld to compare (P6)."""
    row = connection.execute(
        "SELECT 1 FROM receipt WHERE control <> '' AND control = ? LIMIT 1", (WITHHELD,)
    ).fetchone()
    return row is not None


def list_compared(connection: Connection, silent: int) -> list[Row]:
    """Return a row for each session and kind in which a comparison left its mark.

    Only sessions that ended, or were last heard of before ``silent``.  ``control`` is
    the mark, "mixed" when there are several; ``tokens`` what all of it cost, that of
    the session's subagents too.
    """
    return connection.execute(
        """SELECT s.id AS session, r.kind, min(r.at) AS at,
            coalesce(min(CASE WHEN r.native = s.native THEN r.role END), min(r.role))
                AS role, sum(r.tokens) AS tokens,
            CASE WHEN min(r.control) = max(r.control)
                THEN min(r.control) ELSE 'mixed' END AS control
        FROM session s JOIN receipt r ON r.control <> 'asked'
            AND (r.native = s.native
                OR (r.native > s.native || '/' AND r.native < s.native || '0'))
        WHERE s.native IN (SELECT native FROM receipt
            WHERE control <> '' AND control <> 'asked')
        AND (s.ended IS NOT NULL OR s.last < ?)
        GROUP BY s.id, r.kind""",
        (silent,),
    ).fetchall()


def bind_turn(
    connection: Connection, native: str, prompt: str, session: int, turn: int
) -> int:
    """Tie receipts made for this prompt before its turn was known to that turn."""
    done = connection.execute(
        "UPDATE receipt SET session = ?, turn = ? WHERE native = ? AND prompt = ?"
        " AND turn IS NULL",
        (session, turn, native, prompt),
    )
    return done.rowcount


def add_entry(connection: Connection, entry: Entry) -> int:
    """Append one account entry with what it does to the running mean (P2).

    Returns its number.
    """
    done = connection.execute(
        """INSERT INTO account (at, session, native, role, feature, kind, tokens, times,
            basis, estimator, receipt, reverses, pair)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        entry,
    )
    assert done.lastrowid is not None
    number = int(done.lastrowid)
    if entry.kind == SAVING:
        running.count_saving(connection, number)
    elif entry.kind == BOUNCE and entry.reverses is not None:
        running.count_bounce(connection, entry.reverses, entry.tokens * entry.times)
    return number


def find_entry(connection: Connection, number: int | None) -> Row | None:
    """Return an account entry."""
    row: Row | None = connection.execute(
        "SELECT * FROM account WHERE id = ?", (number,)
    ).fetchone()
    return row


def is_reversed(connection: Connection, number: int) -> bool:
    """Say whether a later entry took this one back."""
    row = connection.execute(
        "SELECT 1 FROM account WHERE reverses = ? LIMIT 1", (number,)
    ).fetchone()
    return row is not None
