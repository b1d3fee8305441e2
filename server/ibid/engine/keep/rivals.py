"""Other memories beside ours, told from texts that somebody else read (Q1).

Two of them would feed each other: each learns what the other injected.  *Active* is
one that a hook, an MCP server, a plugin or the environment brings into sessions;
what only lies on the disk, or is switched off, is a leftover.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from ibid.store.findings import ALLOW

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


class Rival(NamedTuple):
    """Another memory, and how it is known."""

    name: str
    words: frozenset[str]  # A program, package, plugin, server or folder of it.
    prefix: str  # Of its environment variables.
    folders: tuple[str, ...]  # In the home.
    fix: str


RIVALS = (
    Rival(
        "cavemem",
        frozenset({"cavemem", "cavemem-mcp"}),
        "CAVEMEM_",
        (".cavemem",),
        "cavemem uninstall --ide AGENT, then npm uninstall -g cavemem",
    ),
    Rival(
        "headroom",
        frozenset({"headroom", "headroom-ai", "headroom-mcp", "headroom-memory"}),
        "HEADROOM_",
        (".headroom",),
        "headroom mcp uninstall, and unset the base URL of its proxy",
    ),
    Rival(
        "lean-ctx",
        frozenset({"lean-ctx", "leanctx", "lean_ctx", "lean-ctx-bin", "lean-ctx-mcp"}),
        "LEAN_CTX_",
        (".lean-ctx", ".config/lean-ctx"),
        "lean-ctx uninstall",
    ),
    Rival(
        "claude-mem",
        frozenset({"claude-mem", "claude_mem", "thedotmack"}),
        "CLAUDE_MEM_",
        (".claude-mem",),
        "claude plugin uninstall claude-mem, or npx claude-mem uninstall",
    ),
    Rival(
        "engram",
        frozenset({"engram", "engram-mcp"}),
        "ENGRAM_",
        (".engram",),
        "engram's own uninstall, or remove its entries there",
    ),
    Rival(
        "mempalace",
        frozenset({"mempalace", "mempalace-mcp"}),
        "MEMPALACE_",
        (".mempalace",),
        "remove its hooks and server there, then pip uninstall mempalace",
    ),
    Rival(
        "memsearch",
        frozenset({"memsearch"}),
        "MEMSEARCH_",
        (".memsearch",),
        "claude plugin uninstall memsearch, or remove its entries there",
    ),
    Rival(
        "mem0",
        frozenset({"mem0", "openmemory", "mem0-mcp", "openmemory-mcp"}),
        "OPENMEMORY_",
        (".openmemory",),
        "remove its server there",
    ),
)

ACTIVE, LEFTOVER = "active", "leftover"


class Sighting(NamedTuple):
    """One trace of a rival."""

    rival: str
    state: str
    what: str  # Such as "hook UserPromptSubmit".
    where: str  # A file, or "the environment".
    fix: str
    is_own: bool = False  # Of the project, not of the machine.


class Traces(NamedTuple):
    """What a collector read."""

    settings: tuple[tuple[str, Any, bool], ...]  # (where, value, is of the project).
    environ: Mapping[str, str]
    folders: tuple[str, ...]  # Those of `folders` that exist, as shown.


def find_rivals(traces: Traces) -> list[Sighting]:
    """Return what was seen, the active first, one of a kind and place."""
    seen = [
        *_in_settings(traces),
        *_in_environment(traces.environ, "the environment", False),
        *_on_disk(traces.folders),
    ]
    return sorted(dict.fromkeys(seen), key=lambda one: one.state != ACTIVE)


def active(seen: Iterable[Sighting], allowed: frozenset[str]) -> list[Sighting]:
    """Return the first sighting of each rival that is active and not allowed."""
    found: dict[str, Sighting] = {}
    for one in seen:
        if one.state == ACTIVE and one.rival not in allowed:
            found.setdefault(one.rival, one)
    return list(found.values())


def refusal(sightings: list[Sighting]) -> str:
    """Return what set-up says when it refuses beside them."""
    return "\n".join(
        f"{one.rival} is active ({one.what} in {one.where}). Two memory layers would "
        f"feed each other; nothing was changed. Remove it with: {one.fix}; or allow it "
        f"on the record: ibid doctor --allow {one.rival}"
        for one in sightings
    )


def held_back(names: Iterable[str], *settings: Mapping[str, Any]) -> str:
    """Return why recall stays silent beside the rivals ``names``; "" when it need not.

    ``settings`` may allow each on the record.
    """
    allowed = allowed_in(*settings)
    left = [name for name in names if name not in allowed]
    if not left:
        return ""
    several = len(left) > 1
    return (
        f"{', '.join(left)} {'are' if several else 'is'} active, and two memory layers "
        "would feed each other; remove it, or allow it on the record: ibid doctor "
        f"--allow {left[0]}"
    )


def allowed_in(*settings: Mapping[str, Any]) -> frozenset[str]:
    """Return the rivals that settings allow."""
    return frozenset(
        name.removeprefix(ALLOW)
        for one in settings
        for name, value in one.items()
        if name.startswith(ALLOW) and value
    )


# -- in settings ---------------------------------------------------------------------

# Words that only look at a program or talk of it.
_TALK = frozenset(
    {"echo", "printf", "grep", "rg", "rm", "test", "[", "which", "cat", "ls"}
)
_SERVERS = ("mcpServers", "mcp_servers", "mcp", "servers", "context_servers")
_PLUGINS = ("enabledPlugins", "plugin", "plugins")
_SPLIT = re.compile(r"&&|\|\||[;|\n]")
_QUOTES = re.compile(r"[\s\"'`(){}$=,]+")
_ENDINGS = re.compile(r"\.(?:exe|cmd|ps1|bat|js|mjs|cjs|ts|py|sh)$")
_LOCAL = re.compile(r"//(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0):8787\b")


def _in_settings(traces: Traces) -> Iterator[Sighting]:
    for where, value, is_own in traces.settings:
        for rival, state, what in _in_value(value):
            yield Sighting(rival.name, state, what, where, rival.fix, is_own)
        for section in _sections(value, "env"):
            if isinstance(section, dict):
                given = {str(name): str(one) for name, one in section.items()}
                yield from _in_environment(given, where, is_own)


def _in_value(value: Any) -> Iterator[tuple[Rival, str, str]]:
    off = isinstance(value, dict) and value.get("disableAllHooks") is True
    for section in (*_sections(value, "hooks"), _notify(value)):
        for event, command in _commands(section):
            for rival in _named(command):
                yield rival, LEFTOVER if off else ACTIVE, f"hook {event}"
    for key in _SERVERS:
        for section in _sections(value, key):
            yield from _servers(section)
    for key in _PLUGINS:
        for section in _sections(value, key):
            yield from _plugins(section)


def _sections(value: Any, key: str) -> Iterator[Any]:
    """Yield what stands at ``key``, at the top or where VS Code puts servers."""
    for above in (value, value.get("mcp") if isinstance(value, dict) else None):
        if isinstance(above, dict) and key in above:
            yield above[key]


def _commands(
    section: Any, event: str = "", depth: int = 6
) -> Iterator[tuple[str, str]]:
    """Yield (event, command line) of hooks in any agent's form."""
    if isinstance(section, str):
        yield event, section
    elif isinstance(section, list):
        if all(isinstance(one, str) for one in section):
            yield event, " ".join(section)
            return
        for one in section:
            yield from _commands(one, event, depth - 1)
    elif isinstance(section, dict) and depth:
        if section.get("enabled") is False or section.get("disabled") is True:
            return
        words = [section.get(key) for key in ("command", "bash", "powershell", "url")]
        words += section["args"] if isinstance(section.get("args"), list) else []
        line = [
            " ".join(map(str, one)) if isinstance(one, list) else one
            for one in words
            if isinstance(one, str | list)
        ]
        if line and event:
            yield event, " ".join(line)
            return
        for name, inner in section.items():
            if isinstance(inner, dict | list):
                yield from _commands(inner, event or str(name), depth - 1)


def _notify(value: Any) -> Any:
    """Return Codex's older hook in the form of the others."""
    found = value.get("notify") if isinstance(value, dict) else None
    return {"notify": found} if isinstance(found, list) else {}


def _servers(section: Any) -> Iterator[tuple[Rival, str, str]]:
    for name, server in section.items() if isinstance(section, dict) else ():
        if not isinstance(server, dict):
            continue
        off = server.get("enabled") is False or server.get("disabled") is True
        state = LEFTOVER if off else ACTIVE
        found = [*_named(str(name))]
        for one in ("command", "args", "url", "httpUrl", "serverUrl"):
            given = server.get(one)
            text = " ".join(map(str, given)) if isinstance(given, list) else given
            found += _named(str(text or ""))
        for rival in dict.fromkeys(found):
            yield rival, state, f"MCP server {name}"


def _plugins(section: Any) -> Iterator[tuple[Rival, str, str]]:
    if isinstance(section, dict):
        rows = [
            (str(name), ACTIVE if _is_on(given) else LEFTOVER)
            for name, given in section.items()
        ]
    else:
        found = section if isinstance(section, list) else ()
        rows = [
            (str(one[0] if isinstance(one, list) and one else one), ACTIVE)
            for one in found
        ]
    for name, state in rows:
        for rival in _named(name):
            yield rival, state, f"plugin {name}"


def _is_on(given: Any) -> bool:
    if isinstance(given, dict):
        return given.get("enabled") is not False
    return bool(given)


def _named(line: str) -> list[Rival]:
    """Return the rivals that a command line runs; talk about one does not count."""
    words: set[str] = set()
    for part in _SPLIT.split(line[:10_000]):
        found = [one for one in _QUOTES.split(part) if one]
        if found and _bare(re.split(r"[/\\]", found[0])[-1]) in _TALK:
            continue
        for word in found:
            words |= {_bare(one) for one in re.split(r"[/\\:]", word)}
    return [rival for rival in RIVALS if words & rival.words]


def _bare(word: str) -> str:
    """Return a word without version and ending: ``claude-mem@latest`` is claude-mem."""
    name = word.lower()
    name = name.split("@")[0] if not name.startswith("@") else name
    return _ENDINGS.sub("", name)


# -- elsewhere -----------------------------------------------------------------------

_OFF = frozenset({"", "0", "false", "off", "no", "none", "disabled"})


def _in_environment(
    environ: Mapping[str, str], where: str, is_own: bool
) -> Iterator[Sighting]:
    for name, value in environ.items():
        for rival in RIVALS:
            proxied = rival.name == "headroom" and name.endswith("_BASE_URL")
            if not (
                name.startswith(rival.prefix) or (proxied and _LOCAL.search(value))
            ):
                continue
            off = value.lower() in _OFF or "DISABLE" in name or "_NO_" in name
            state = LEFTOVER if off else ACTIVE
            fix = f"unset {name}; {rival.fix}"
            yield Sighting(rival.name, state, f"variable {name}", where, fix, is_own)


def _on_disk(folders: Iterable[str]) -> Iterator[Sighting]:
    for shown in folders:
        for rival in RIVALS:
            if any(
                shown.replace("\\", "/").endswith(f"/{one}") for one in rival.folders
            ):
                yield Sighting(rival.name, LEFTOVER, "folder", shown, f"remove {shown}")
