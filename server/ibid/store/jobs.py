"""Durable jobs: work that must be finished, whatever happens in between (K3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ibid.store.driver import Connection, Row


def add_job(connection: Connection, kind: str, payload: str, at: int) -> int:
    """Add a job; ``payload`` is JSON and names rows, never their words."""
    done = connection.execute(
        "INSERT INTO job (kind, payload, at) VALUES (?, ?, ?)", (kind, payload, at)
    )
    assert done.lastrowid is not None
    return int(done.lastrowid)


def open_jobs(connection: Connection, kind: str) -> list[Row]:
    """Return the jobs of a kind that are not done, oldest first."""
    return connection.execute(
        "SELECT * FROM job WHERE kind = ? AND state = 'open' ORDER BY id", (kind,)
    ).fetchall()


def finish_steps(
    connection: Connection, job: int, payload: str, error: str = ""
) -> None:
    """Record what is left of a job after one try, and why."""
    connection.execute(
        "UPDATE job SET payload = ?, error = ?, tries = tries + 1 WHERE id = ?",
        (payload, error, job),
    )


def end_job(connection: Connection, job: int) -> None:
    """Record that a job is done."""
    connection.execute("UPDATE job SET state = 'done' WHERE id = ?", (job,))
