"""Collect what `ibid.engine.keep.doctor` judges: from agents, store and system."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from ibid import __version__
from ibid.agents import registry, setups
from ibid.duties import setting
from ibid.duties.rivals import note_rivals, read_settings
from ibid.engine.keep import doctor, rivals
from ibid.errors import StoreError
from ibid.files import manifests
from ibid.store import (
    driver,
    handshakes,
    includes,
    projects,
    running,
    settings,
    transcripts,
)
from ibid.store.connection import Store
from ibid.store.verify import verify

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ibid.agents.setups import Where
    from ibid.engine.memory import Memory

PATIENCE = 3.0  # Seconds an agent may take to say its version.
_MOST = 200_000  # Files and folders that are looked at.
_VERSION = re.compile(r"\d+\.\d+[\w.+-]*")
_LIMIT = Path("/proc/sys/fs/inotify/max_user_watches")


def examine(
    memory: Memory, where: Where, standing: Mapping[str, str] | None
) -> doctor.Report:
    """Return the doctor's report on a project and this machine.

    ``standing`` are the texts that an agent always carries for us, by name.
    """
    general = settings.load_global(memory.home)
    own = settings.load_settings(memory.store.read())
    files = [*_transcripts(where)]
    facts = doctor.Facts(
        versions={
            "ibid": __version__,
            "python": ".".join(map(str, sys.version_info[:3])),
            "sqlite": ".".join(map(str, driver.VERSION)),
        },
        is_safe=driver.SAFE,
        agents=tuple(_agents(memory.home, where)),
        sightings=tuple(note_rivals(memory, where.env)),
        allowed=rivals.allowed_in(general, own),
        expiries=tuple(_expiries(memory, where, files)),
        problems=tuple(
            f"{one.what}: {one.where}"
            for one in verify(memory.store.read(), full=False)
        ),
        standing=standing,
        watches=_watches(where),
        exposed=tuple(_exposed(memory)),
        demoted=tuple(
            doctor.Demoted(row["role"], row["feature"], row["reason"])
            for row in running.list_demoted(memory.store.read())
        ),
        missing=tuple(
            root
            for root in memory.included()
            if not includes.is_there(memory.home, root)
        ),
        erasing=tuple(memory.eraser.waiting()),
    )
    return doctor.examine(facts)


# -- agents --------------------------------------------------------------------------


def _agents(home: str, where: Where) -> Iterator[doctor.AgentFacts]:
    found = {name: setups.load_setup(name).found(where) for name in setups.AGENTS}
    programs = {name: shutil.which(one.program) for name, one in found.items()}
    with ThreadPoolExecutor() as pool:
        versions = dict(zip(found, pool.map(_version, programs.values()), strict=True))
    for name, one in found.items():
        yield doctor.AgentFacts(
            agent=name,
            is_found=bool(programs[name]) or Path(one.folder).is_dir(),
            version=versions[name],
            is_installed=setting.is_installed(name, where),
            installed_at=manifests.written_at(home, name),
            events=handshakes.load(home, name),
        )


def _version(program: str | None) -> str:
    """Return what a program says its version is; "" when it does not."""
    if program is None:
        return ""
    try:
        done = subprocess.run(
            [program, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    match = _VERSION.search(done.stdout.decode("utf-8", "replace"))
    return match[0] if match else ""


# -- sessions that expire ------------------------------------------------------------


def _transcripts(where: Where) -> Iterator[tuple[str, Path]]:
    """Yield (agent, file) of every session's own file that agents keep."""
    left = _MOST
    for name in setups.AGENTS:
        if name not in registry.AGENTS:
            continue
        agent = registry.load_agent(name)
        for root in agent.roots(where.env, Path(where.home)):
            for base, _, names in os.walk(root):
                for path in (Path(base, one) for one in names[: max(left, 0)]):
                    left -= 1
                    if agent.accepts(path) and not agent.describe(path).scope:
                        yield name, path


def _expiries(
    memory: Memory, where: Where, files: list[tuple[str, Path]]
) -> Iterator[doctor.Expiry]:
    kept = _kept(memory) if files else {}
    now = memory.clock.now()
    for name in dict.fromkeys(agent for agent, _ in files):
        setup = setups.load_setup(name)
        own = setup.settings(where, memory.project.path)[0]
        days = setup.retention(read_settings(own))
        sessions = soon = safe = 0
        for agent, path in files:
            status = _stat(path) if agent == name else None
            if status is None:
                continue
            sessions += 1
            modified = int(status.st_mtime * 1000)
            if days is not None and doctor.is_soon(modified, days, now):
                soon += 1
                safe += kept.get(str(path.resolve()), -1) >= status.st_size
        yield doctor.Expiry(name, days, sessions, soon, safe)


def _kept(memory: Memory) -> dict[str, int]:
    """Return how much of each transcript is kept, in whatever project."""
    found = transcripts.kept_bytes(memory.store.read())
    for project in projects.list_projects(memory.home):
        if project.key == memory.project.key or not Path(project.database).is_file():
            continue
        try:
            store = Store(project.database)
        except StoreError:
            continue
        try:
            found.update(transcripts.kept_bytes(store.read()))
        except (StoreError, driver.Error):
            continue
        finally:
            store.close()
    return found


# -- the system ----------------------------------------------------------------------


def _watches(where: Where) -> tuple[int, int] | None:
    """Return how many folders are watched, and how many the system allows."""
    try:
        most = int(_LIMIT.read_text())
    except (OSError, ValueError):
        return None
    needed = 0
    for name in registry.AGENTS:
        for root in registry.load_agent(name).roots(where.env, Path(where.home)):
            for _ in os.walk(root):
                needed += 1
                if needed > most:
                    return needed, most
    return needed, most


def _exposed(memory: Memory) -> Iterator[str]:
    """Yield what of ours people other than its owner can use."""
    if os.name == "nt":
        return
    home = Path(memory.home)
    database = Path(memory.project.database)
    backups = database.parent / "backup"
    files = ("settings.json", "registry.json", projects.INCLUDES)
    named = (*files, "projects", "setup", "hooks")
    inside = (home / name for name in named)
    for path in (home, *inside, database.parent, database, backups):
        status = _stat(path)
        if status is not None and stat.S_IMODE(status.st_mode) & 0o077:
            yield str(path)


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None
