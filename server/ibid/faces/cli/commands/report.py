"""The report: what memory cost and saved, and turning on again what it demoted (P)."""

from __future__ import annotations

import click

from ibid.engine.keep.account import DAYS, MOST_DAYS
from ibid.engine.keep.withhold import UNNAMED
from ibid.faces import shapes
from ibid.faces.cli import render
from ibid.faces.cli.options import Face, common


@click.command()
@click.option("--enable", metavar="FEATURE", help="Turn a demoted feature on again.")
@click.option("--role", default="", help="For this role only.")
@click.option(
    "--days",
    type=click.IntRange(0, MOST_DAYS),
    help=f"Show each of the last days, too (JSON tells {DAYS} anyway).",
)
@common
def report(face: Face, enable: str | None, role: str, days: int | None) -> None:
    """Show what memory cost and saved, per role and feature: the net.

    A feature whose samples surely cost more than they saved is demoted for its role;
    --enable turns it on again, and its samples count anew.
    """
    if enable is not None:
        _enable(face, enable, role)
    shape = shapes.report(face.memory.report(DAYS if days is None else days))
    if role:
        for part in ("roles", "days"):
            shape[part] = [row for row in shape[part] if row["role"] == role]

    def show() -> None:
        _show_roles(shape)
        if days:
            render.line()
            _show_days(shape)
        render.notice(f"Tokens estimated by {shape['estimator']}.")
        if shape["control"]:
            render.notice(f"Control group: {shape['control']} % of sessions.")

    face.show(shape, show)


def _enable(face: Face, feature: str, role: str) -> None:
    off = face.memory.enable(feature, role)
    if off:
        names = ", ".join(one or UNNAMED for one in off)
        render.notice(f"{feature} is on again for {names}; its samples count anew.")
    else:
        whom = role or "any role"
        render.notice(f"{feature} was not demoted for {whom}; nothing changed.")


def _show_roles(shape: shapes.Json) -> None:
    render.table(
        (
            *("role", "feature", "gross", "bounced", "cost", "net", "n"),
            *("at least", "state", "why"),
        ),
        (
            (
                row["role"] or "–",
                row["feature"],
                "unknown" if row["unknown"] else f"{row['gross']:,}",
                f"{-row['bounced']:,}",
                f"{row['cost']:,}",
                "unknown" if row["unknown"] else f"{row['net']:+,}",
                row["samples"],
                "–" if row["lower"] is None else f"{row['lower']:+,}",
                row["state"],
                row["reason"] + _offer(row),
            )
            for row in shape["roles"]
        ),
        "Nothing was counted here yet.",
    )


def _offer(row: shapes.Json) -> str:
    """Return how a demoted feature is turned on again."""
    if row["state"] != "demoted":
        return ""
    role = f" --role {row['role']}" if row["role"] else ""
    return f". To have it back: ibid report --enable {row['feature']}{role}"


def _show_days(shape: shapes.Json) -> None:
    unknown = {
        (row["role"], row["feature"]) for row in shape["roles"] if row["unknown"]
    }

    def shown(row: shapes.Json, value: str) -> str:
        is_unknown = (row["role"], row["feature"]) in unknown
        return "unknown" if is_unknown else value

    render.table(
        ("day", "role", "feature", "saved", "bounced", "cost", "net"),
        (
            (
                row["day"],
                row["role"] or "–",
                row["feature"],
                shown(row, f"{row['gross']:,}"),
                f"{-row['bounced']:,}",
                f"{row['cost']:,}",
                shown(row, f"{row['gross'] - row['bounced'] - row['cost']:+,}"),
            )
            for row in shape["days"]
        ),
        "No day in question has an entry.",
    )
