"""An older file becomes a newer one, with all that is in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ibid.engine.memory import open_memory
from ibid.store import running, schema
from ibid.store.connection import Store
from ibid.store.verify import verify

NOW = 1_775_131_200_000


def test_a_store_of_the_first_schema_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reads that were recorded before answers were count as native ones."""
    project = tmp_path / "old"
    project.mkdir()
    memory = open_memory(str(project))
    path = memory.project.database
    memory.close()
    for one in Path(path).parent.glob("ibid.db*"):
        one.unlink()
    with monkeypatch.context() as patch:
        patch.setattr(schema, "SCHEMA_VERSION", 1)
        patch.setattr(schema, "READ_ANSWERS", "SELECT 1")
        store = Store(path)
        schema.ensure_schema(store)
        with store.write() as connection:
            connection.execute(
                "INSERT INTO session (agent, native) VALUES ('demo', 's1')"
            )
            connection.execute(
                "INSERT INTO shown (session, path, first, last, fingerprint, at)"
                " VALUES (1, '/a', 1, 2, 'b3:0', ?)",
                (NOW,),
            )
            connection.execute(
                "DELETE FROM _sqlite_migrations WHERE name = 'm002_read_answers'"
            )
        store.close()
    memory = open_memory(str(project))
    row = memory.store.read().execute("SELECT answer, last FROM shown").fetchone()
    assert tuple(row) == ("native", 2)
    version = memory.store.read().execute("PRAGMA user_version").fetchone()[0]
    assert version == schema.SCHEMA_VERSION
    memory.close()


def test_savings_of_before_are_paired_with_their_costs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store whose accounts had no running means gets them from its entries (P2)."""
    with monkeypatch.context() as patch:
        patch.setattr(schema, "SCHEMA_VERSION", 2)
        patch.setattr(schema, "RUNNING", "SELECT 1")
        patch.setattr(schema.running, "rebuild", lambda _: None)
        store = Store(str(tmp_path / "ibid.db"))
        schema.ensure_schema(store)
        with store.write() as connection:
            for feature, kind, tokens, reverses in (
                ("stub", "cost", 12, None),
                ("stub", "saving", 900, None),
                ("block", "cost", 70, None),
                ("stub", "saving", 400, None),
                ("stub", "bounce", 900, 2),
            ):
                connection.execute(
                    "INSERT INTO account (at, role, feature, kind, tokens, basis,"
                    " estimator, reverses) VALUES (?, 'codex', ?, ?, ?, 't', 'e', ?)",
                    (NOW, feature, kind, tokens, reverses),
                )
            connection.execute(
                "DELETE FROM _sqlite_migrations WHERE name = 'm003_running'"
            )
        store.close()
    store = Store(str(tmp_path / "ibid.db"))
    schema.ensure_schema(store)
    row = running.find_running(store.read(), "codex", "stub")
    assert row is not None
    assert (row["samples"], row["mean"], row["state"]) == (2, 194.0, "on")
    assert verify(store.read(), full=False) == []
    store.close()
