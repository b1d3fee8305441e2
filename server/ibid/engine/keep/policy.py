"""Who may learn and who may recall: switches, overrides, presets, kill switches (H).

Three switches and one three-valued setting, global and per project; a project may set
each to any value but never past the master.  A session narrows, never re-enables.
Environment variables end the discussion.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from ibid.engine.model import MINUTE
from ibid.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ibid.store.driver import Row

MEGABYTE = 1_000_000

# Who is told what was read before (N7): everybody, who begins anew, nobody.
HINT_ON, HINT_SESSION, HINT_OFF = "on", "session", "off"

INHERIT, ALLOW, DENY = "inherit", "allow", "deny"

# Preset -> (read, write) (H1).
PRESETS: dict[str, tuple[str, str]] = {
    "default": (INHERIT, INHERIT),
    "memory-on": (INHERIT, INHERIT),
    "recall-only": (ALLOW, DENY),
    "private": (DENY, DENY),
    "learn-only": (DENY, ALLOW),
}

# Agents that show every prompt block as written by the user (G8).
SHOWN_AS_USER = frozenset({"codex"})

DEFAULTS: dict[str, Any] = {
    "master": True,
    "learn": True,
    "recall": True,
    "external": "on",
    "promotion": "auto",
    "history": "wait",
    "settling": 30,
    "budget": 1200,
    "hint": HINT_SESSION,
    "transcripts": True,
    "epochs": False,
    "control": 0,
    "files": True,
    "editor": True,
    "cap": 2_000,
    "archive.secrets": "keep",
    "privacy.exclude": [
        *(".env", ".env.*", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore"),
        *(
            "*.kdbx",
            "id_rsa*",
            "id_dsa*",
            "id_ecdsa*",
            "id_ed25519*",
            ".netrc",
            "_netrc",
        ),
        *(".pgpass", ".npmrc", ".pypirc", ".git-credentials", "credentials"),
        *("credentials.json", "*.keychain", "*.keychain-db", "*/.aws/*", "*/.ssh/*"),
        *("*/.gnupg/*", "secrets.y*ml", "secrets.json"),
    ],
}

_CHOICES: dict[str, tuple[Any, ...]] = {
    "master": (True, False),
    "learn": (True, False),
    "recall": (True, False),
    "external": ("on", "own", "off"),
    "promotion": ("auto", "review"),
    "history": ("wait", "auto"),
    "hint": (HINT_ON, HINT_SESSION, HINT_OFF),
    "transcripts": (True, False),
    "epochs": (True, False),
    "archive.secrets": ("keep", "mask"),
    "files": (True, False),
    "editor": (True, False),
}
_RANGES = {
    "settling": (0, 1440),
    "budget": (100, 9000),
    "cap": (10, 1_000_000),
    "control": (0, 50),
}


class Switches(NamedTuple):
    """What holds for a project now."""

    master: bool
    learn: bool
    recall: bool
    external: str
    promotion: str
    history: str
    settling: int  # Milliseconds.
    budget: int  # Estimated tokens of a block.
    transcripts: bool  # Keep transcript files (M5).
    epochs: bool  # Recall earlier epochs of the same session (G3).
    files: bool  # Keep notes and handoffs as files in the project (O1, O2).
    editor: bool  # Record what the person opens and saves (N8).
    cap: int  # Bytes of archive and kept transcripts (M3).
    secrets: str  # keep | mask: cut at the door (E1).
    exclude: tuple[str, ...]  # Globs of files that never enter (E1).
    control: int  # Per cent of sessions that a feature is withheld from (P6).
    hint: str = HINT_SESSION  # Who is told what was read before (N7).
    beside: str = ""  # Why nothing is recalled beside another memory (Q1).


def effective(
    general: Mapping[str, Any],
    project: Mapping[str, Any],
    environ: Mapping[str, str] = os.environ,
) -> Switches:
    """Return what holds: environment over master over project over global (H2, H3)."""
    value = {
        name: _first(name, project.get(name), general.get(name)) for name in DEFAULTS
    }
    master = bool(value["master"]) and general.get("master") is not False
    if environ.get("IBID_DISABLE"):
        master = False
    return Switches(
        master=master,
        learn=master and value["learn"] and not environ.get("IBID_NO_CAPTURE"),
        recall=master and value["recall"] and not environ.get("IBID_NO_RECALL"),
        external=value["external"],
        promotion=value["promotion"],
        history=value["history"],
        settling=value["settling"] * MINUTE,
        budget=value["budget"],
        transcripts=value["transcripts"],
        epochs=value["epochs"],
        files=value["files"],
        editor=value["editor"],
        cap=value["cap"] * MEGABYTE,
        secrets=value["archive.secrets"],
        exclude=tuple(value["privacy.exclude"]),
        control=value["control"],
        hint=value["hint"],
    )


def _first(name: str, *given: Any) -> Any:
    """Return the first value that is a valid setting, else the default."""
    for value in given:
        if value is not None and is_valid(name, value):
            return value
    return DEFAULTS[name]


def is_valid(name: str, value: Any) -> bool:
    """Say whether ``value`` may stand for setting ``name``."""
    if name in _RANGES:
        low, high = _RANGES[name]
        return type(value) is int and low <= value <= high
    if name == "privacy.exclude":
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    return value in _CHOICES.get(name, ())


def check_setting(name: str, value: Any) -> None:
    """Refuse a setting that does not exist or a value it cannot have.

    Raises:
        InputError: names what is allowed.
    """
    if name not in DEFAULTS:
        known = ", ".join(sorted(DEFAULTS))
        raise InputError(f"No setting {name!r}. There are: {known}.")
    if value is None or is_valid(name, value):
        return
    if name in _RANGES:
        low, high = _RANGES[name]
        raise InputError(f"{name} takes a whole number from {low} to {high}.")
    if name == "privacy.exclude":
        raise InputError(f"{name} takes a list of globs, such as .env* or *.pem.")
    allowed = ", ".join(str(choice).lower() for choice in _CHOICES[name])
    raise InputError(f"{name} takes one of: {allowed}, or nothing to inherit.")


def preset_of(read: str, write: str, preset: str) -> str:
    """Return the preset that a session shows; a pair that fits none is ``custom``."""
    if PRESETS.get(preset) == (read, write):
        return preset
    if preset == "memory-on" and (read, write) == (ALLOW, INHERIT):
        return preset  # Its pair for agents of G8.
    for name, pair in PRESETS.items():
        if pair == (read, write):
            return name
    return "custom"


def policies_of(preset: str, agent: str) -> tuple[str, str]:
    """Return (read, write) of a preset for ``agent`` (H1, G8).

    Raises:
        InputError: no such preset.
    """
    if preset not in PRESETS:
        raise InputError(f"No preset {preset!r}. There are: {', '.join(PRESETS)}.")
    if preset == "memory-on" and agent in SHOWN_AS_USER:
        return ALLOW, INHERIT
    return PRESETS[preset]


def may_recall(switches: Switches, session: Row | None, agent: str) -> str:
    """Return "" when a block may be injected, else why not (G8, H2)."""
    if not switches.recall:
        return "recall is switched off"
    if switches.beside:
        return switches.beside
    read = read_policy(session, agent)
    if read == DENY:
        return "this session's preset does not recall"
    if agent in SHOWN_AS_USER and read != ALLOW:
        kind = "main" if session is None else session["kind"]
        if kind not in ("quick", "side"):
            return (
                f"{agent} shows every block as written by you; choose Memory on or "
                "Recall only for this session"
            )
    return ""


def read_policy(
    session: Row | None, agent: str, environ: Mapping[str, str] = os.environ
) -> str:
    """Return a session's read policy; ``IBID_PRESET`` speaks for one that has none."""
    if session is not None and session["preset"] != "default":
        return str(session["read_policy"])
    preset = environ.get("IBID_PRESET", "")
    if preset in PRESETS:
        return policies_of(preset, agent)[0]
    return INHERIT if session is None else str(session["read_policy"])


def is_wanted(
    session: Row | None, agent: str, environ: Mapping[str, str] = os.environ
) -> bool:
    """Say whether a person set a session to recall: it is spared P3 and P6."""
    preset = "default" if session is None else session["preset"]
    if preset == "default":
        preset = environ.get("IBID_PRESET", "")
    if preset in ("memory-on", "recall-only"):
        return True
    return read_policy(session, agent, environ) == ALLOW


def may_record(
    switches: Switches, session: Row | None, environ: Mapping[str, str] = os.environ
) -> str:
    """Return "" when what a session reads may be recorded, else why not (H3, H4)."""
    if not switches.master:
        return "Ibid is switched off"
    if environ.get("IBID_NO_CAPTURE"):
        return "IBID_NO_CAPTURE is set"
    write = INHERIT if session is None else session["write_policy"]
    preset = environ.get("IBID_PRESET", "")
    if preset in PRESETS and (session is None or session["preset"] == "default"):
        write = PRESETS[preset][1]
    return "nothing of this session is stored" if write == DENY else ""


def stubs(environ: Mapping[str, str] = os.environ) -> str:
    """Return whether reads may be answered short: on, measure or off (H3)."""
    if environ.get("IBID_NO_STUBS"):
        return "off"
    return "measure" if environ.get("IBID_MEASURE_ONLY") else "on"


def may_not_store(session: Row) -> bool:
    """Say whether nothing of a session's content may be stored (H4).

    Quick and side chats recall only (G8).
    """
    return session["write_policy"] == DENY or session["kind"] in ("quick", "side")


def may_learn(switches: Switches, session: Row) -> str:
    """Return "" when turns of the session may teach, else why not (H4)."""
    if not switches.learn:
        return "learning is switched off"
    if session["write_policy"] == DENY or session["kind"] in ("quick", "side"):
        return "this session's preset does not learn"
    return ""


def excluded_by(external: str, flags: frozenset[str]) -> str:
    """Return "" when a turn with ``flags`` may teach, else what forbids it (B7)."""
    if external == "on":
        return ""
    from ibid.agents.events import OUTSIDE_FLAGS, RECALLED

    counted = flags if external == "off" else flags & OUTSIDE_FLAGS
    if not counted:
        return ""
    shown = ", ".join(sorted(counted)).replace(RECALLED, "recalled memory")
    return f"external context ({shown})"
