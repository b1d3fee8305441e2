"""Which code a sentence names: files, folders and symbols (R4)."""

from __future__ import annotations

import re
from functools import lru_cache

MOST = 8  # Anchors of one note.

# Endings that make a word with a dot a file name rather than a sentence's end.
_ENDINGS = (
    "py|pyi|js|jsx|ts|tsx|mjs|cjs|go|rs|java|kt|c|h|cc|cpp|hpp|cs|rb|php|swift|scala|lua"
    "|sh|bash|zsh|ps1|sql|html|css|scss|vue|svelte|md|rst|txt|json|jsonc|yaml|yml|toml"
    "|ini|cfg|conf|xml|proto|graphql|tf|gradle|lock|env|ipynb|zig|ex|exs|erl|hs|ml|dart"
)


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], ...]:
    name = r"[A-Za-z0-9_.@+~-]"
    return (
        re.compile(r"[a-z][a-z0-9+.-]{0,20}://[^\s<>\"'`]{1,2000}", re.IGNORECASE),
        re.compile(
            rf"(?<![\w/.@-])(?:\.{{0,2}}/)?(?:{name}{{1,80}}/){{1,20}}{name}{{0,80}}"
            rf"|(?<![\w/.@-]){name}{{0,79}}[A-Za-z0-9_-]\.(?:{_ENDINGS})(?![\w/])"
            r"|(?<![\w/.@-])\.(?:env|gitignore|editorconfig|dockerignore)(?![\w/])"
            r"|(?<![\w/.@-])(?:Makefile|Dockerfile|Justfile|Procfile)(?![\w/])"
        ),
        re.compile(
            r"(?<![\w.])([A-Za-z_]\w{0,79}(?:(?:\.|::|#)[A-Za-z_]\w{0,79}){0,6})\(\)"
            r"|(?<![\w.])([A-Z]\w{0,79}(?:(?:\.|::)[A-Za-z_]\w{0,79}){1,6})(?![\w/(])"
            r"|(?<![\w./-])([a-z]\w{0,79}_\w{1,80}|[a-z]+[A-Z]\w{0,79}"
            r"|[A-Z][a-z0-9]+[A-Z]\w{0,79})(?![\w/-]|\.[a-z])"
        ),
        re.compile(r"`([^`\n]{1,120})`"),
        re.compile(r"[A-Za-z_]\w{1,79}(?:(?:\.|::|#)\w{1,80}){0,6}(?:\(\))?"),
    )


def find_anchors(text: str) -> list[tuple[str, str]]:
    """Return (path, symbol) pairs that ``text`` names; either may be empty.

    Symbols of a text that names one file belong to that file.

    >>> find_anchors("Never log bodies in payments/, see `Gateway.send` in src/api.py")
    [('payments', ''), ('src/api.py', ''), ('', 'Gateway.send')]
    >>> find_anchors("backoff() in upload.py stops after 3")
    [('upload.py', ''), ('upload.py', 'backoff')]
    """
    urls, path_pattern, symbol_pattern, ticks, name = _patterns()
    text = urls.sub(" ", text)
    paths: list[str] = []
    for match in path_pattern.finditer(text):
        path = match.group().strip(".,;:").removeprefix("./").rstrip("/")
        if path and not _is_prose(path) and path not in paths:
            paths.append(path)
    rest = path_pattern.sub(" ", text)
    symbols: list[str] = []
    for match in ticks.finditer(rest):
        if name.fullmatch(match.group(1)):
            symbols.append(match.group(1).removesuffix("()"))
    for match in symbol_pattern.finditer(rest):
        symbols.append(next(group for group in match.groups() if group))
    owner = paths[0] if len(paths) == 1 else ""
    found = [(path, "") for path in paths]
    found += [(owner, symbol) for symbol in dict.fromkeys(symbols)]
    return found[:MOST]


def _is_prose(path: str) -> bool:
    """Say whether a word with a slash is writing, such as ``and/or`` or ``1/2``."""
    parts = path.split("/")
    if len(parts) == 2 and "." not in path and "_" not in path and "-" not in path:
        return parts[0].isdigit() or path.lower() in _PROSE
    return False


_PROSE = frozenset(
    {
        *("and/or", "either/or", "he/she", "s/he", "client/server", "input/output"),
        *("read/write", "yes/no", "on/off", "true/false", "tcp/ip", "i/o", "n/a"),
        *("w/o", "km/h", "pros/cons", "before/after"),
    }
)
