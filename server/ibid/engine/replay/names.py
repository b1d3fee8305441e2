"""The distinctive names in a text: paths, identifiers, numbers, versions (P5).

Whether a memory was used can be told by what only it could have told.  Ordinary words
cannot, so they are no names; neither are moments and ids, which are ours.
"""

from __future__ import annotations

import re
from functools import lru_cache

_LONGEST = 400_000  # Characters of one text that are looked at.
_COMMON = frozenset(
    {
        *("README.md", "package.json", "index.ts", "index.js", "index.tsx", "main.py"),
        *("main.go", "mod.rs", "lib.rs", "main.rs", "__init__.py", "Cargo.toml"),
        *("pyproject.toml", "go.mod", "tsconfig.json", "Makefile", "CLAUDE.md"),
        *("AGENTS.md", "GEMINI.md", "e.g", "i.e", "node.js", "Node.js"),
    }
)


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    token = re.compile(r"[A-Za-z0-9_~./@-]{3,200}", re.ASCII)
    # Moments, hexadecimal digests, ids of ours, and bare small numbers.
    ours = re.compile(
        r"\d{4}-\d\d(?:-\d\d)?|[0-9a-fA-F]{7,}|[0-9a-f]{8}-[0-9a-f-]{20,}"
        r"|[a-z]-[2-9a-z]{4,16}|\d{1,2}|\d{1,2}\.|turn/\d+"
    )
    telling = re.compile(
        r"[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]|[A-Za-z]\d|\d[A-Za-z]|\d{3}|\d\.\d"
        r"|[A-Za-z_]\.[A-Za-z_]|[A-Za-z0-9_.-]/[A-Za-z0-9_.-]"
    )
    return token, ours, telling


def names(text: str) -> set[str]:
    """Return the distinctive names in ``text``; of a path its last two parts.

    >>> sorted(names("Set retryBudget to 250 in src/net/pool.py, not at once."))
    ['250', 'net/pool.py', 'retryBudget']
    """
    token, ours, telling = _patterns()
    found: set[str] = set()
    for word in set(token.findall(text[:_LONGEST])):
        name = word.strip("./-~@")
        if not telling.search(name) or ours.fullmatch(name):
            continue
        if "/" in name:
            name = "/".join(name.split("/")[-2:])
        if len(name) > 2 and name not in _COMMON:
            found.add(name)
    return found


def last_part(name: str) -> str:
    """Return a path's last part, or the name itself.

    >>> last_part("net/pool.py"), last_part("retryBudget")
    ('pool.py', 'retryBudget')
    """
    return name.rpartition("/")[2]
