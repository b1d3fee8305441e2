"""What ``ibid replay`` and ``ibid/replay`` answer with (P5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ibid.duties.replaying import ReplayRun
    from ibid.engine.replay.sums import Line, Row, Sums

Json = dict[str, Any]


def replay(run: ReplayRun) -> Json:
    """Return a replay's report; only ``seconds`` differs from run to run."""
    report = run.report()
    return {
        "files": run.files,
        "projects": len({row.who.project for row in report.rows}),
        "sessions": len(report.rows),
        "from": report.start,
        "to": report.end,
        "features": [line(one) for one in report.features],
        "roles": [line(one) for one in report.roles],
        "rows": [_row(one) for one in report.rows],
        "held": {
            name: {"count": pile.times, "tokens": pile.tokens}
            for name, pile in report.held.items()
        },
        "estimator": report.estimator,
        "interval": report.interval,
        "bytes": run.bytes,
        "seconds": round(run.seconds, 3),
        "problems": run.problems,
    }


def line(one: Line) -> Json:
    """Return what one feature would have cost and saved."""
    return {
        "role": one.role,
        "feature": one.feature,
        "samples": one.samples,
        "sessions": one.sessions,
        **_sums(one.once),
        "unknown": one.unknown,
        "interval": None if one.interval is None else list(one.interval),
        "carried": _sums(one.carried),
        "items": {
            "sent": one.items,
            "used": one.used,
            "found": one.found,
            "unused": one.unused,
            "untold": one.untold,
        },
    }


def _sums(sums: Sums) -> Json:
    return {
        "gross": sums.gross,
        "bounced": sums.bounced,
        "cost": sums.cost,
        "net": sums.net,
        "most": sums.most,
    }


def _row(row: Row) -> Json:
    return {
        "session": row.who.session,
        "agent": row.who.agent,
        "role": row.who.role,
        "project": row.who.project,
        "at": row.at,
        "prompts": row.prompts,
        "reads": row.reads,
        "requests": row.requests,
        "features": [line(one) for one in row.features],
    }
