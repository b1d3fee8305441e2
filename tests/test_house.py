"""The house holds: floors, sizes, one SQLite, and what a hook may import."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SERVER = ROOT / "server" / "ibid"
MODULES = sorted(SERVER.rglob("*.py"))

# Who may import whom (docs/architecture.md): each floor the ones listed, and itself.
FLOORS = {
    "text": {"errors"},
    "store": {"errors", "text"},
    "files": {"errors", "text"},
    "agents": {"errors", "text"},
    "engine": {"errors", "text", "store", "files", "agents"},
    "duties": {"errors", "text", "store", "files", "agents", "engine"},
    "faces": {"errors", "text", "store", "files", "agents", "engine", "duties"},
    "errors": set(),
}
FACES = {"lsp", "mcp", "hooks", "cli"}

# A person who reads a module must be able to hold it in mind.
MAX_MODULE, MAX_FUNCTION = 500, 70
MAX_MEDIAN, MAX_P90 = 10, 35


def floor_of(module: str) -> str:
    """Return the floor that a module stands on."""
    return module.split(".")[1] if "." in module else module


def name_of(path: Path) -> str:
    """Return the dotted name of a module of ours."""
    parts = path.relative_to(SERVER.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path) -> set[str]:
    """Return the modules of ours that a module imports, anywhere in it."""
    name = name_of(path)
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, base] if base else above)
            found |= {f"{base}.{alias.name}" for alias in node.names} | {base}
    return {one for one in found if one.split(".")[0] == "ibid"}


def test_imports_go_down_the_floors():
    """A module imports its own floor and the ones below it, never upwards."""
    wrong = []
    for path in MODULES:
        name = name_of(path)
        if name in ("ibid", "ibid.__main__"):
            continue
        floor = floor_of(name)
        for target in imports_of(path):
            below = floor_of(target) if "." in target else None
            known = below in FLOORS and below != floor
            if known and below not in FLOORS[floor]:
                model = floor in ("duties", "faces") and target.startswith(
                    "ibid.engine.model"
                )
                if not model:
                    wrong.append(f"{name} imports {target}")
    assert wrong == []


def test_faces_do_not_import_each_other():
    """Command line, language server, MCP and hooks share shapes and nothing else."""
    wrong = []
    for path in (SERVER / "faces").rglob("*.py"):
        own = path.relative_to(SERVER / "faces").parts[0]
        for target in imports_of(path):
            parts = target.split(".")
            if parts[1:2] == ["faces"] and len(parts) > 2 and parts[2] in FACES - {own}:
                # The command line starts the others; it takes nothing from them.
                if own == "cli" and parts[3:4] == ["main"]:
                    continue
                wrong.append(f"{name_of(path)} imports {target}")
    assert wrong == []


def test_sqlite_is_imported_in_one_place():
    """Two SQLites in one process lose rows: only the driver imports one."""
    wrong = []
    for path in [*MODULES, *(ROOT / "tests").rglob("*.py")]:
        if path == SERVER / "store" / "driver.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            if {name.split(".")[0] for name in names} & {"sqlite3", "pysqlite3"}:
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert wrong == []


def test_modules_and_functions_stay_small():
    """No module over 500 lines, no function over 70; the median at most ten."""
    long_modules, long_functions, lengths = [], [], []
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        if text.count("\n") > MAX_MODULE:
            long_modules.append(f"{name_of(path)}: {text.count(chr(10))}")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                lengths.append(length)
                if length > MAX_FUNCTION:
                    long_functions.append(f"{name_of(path)}.{node.name}: {length}")
    lengths.sort()
    assert long_modules == []
    assert long_functions == []
    assert lengths[len(lengths) // 2] <= MAX_MEDIAN
    assert lengths[int(len(lengths) * 0.9)] <= MAX_P90


def test_only_render_prints():
    """Standard output belongs to the protocol: `print` stands in one module."""
    wrong = [
        f"{name_of(path)}:{node.lineno}"
        for path in MODULES
        if path != SERVER / "faces" / "cli" / "render.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]
    assert wrong == []


def test_the_engine_does_not_ask_for_the_time():
    """Clock and chance are injected: replay is ingest with another clock."""
    wrong = []
    for path in (SERVER / "engine").rglob("*.py"):
        if path.name == "model.py":
            continue
        text = path.read_text(encoding="utf-8")
        if "time.time" in text or "datetime.now" in text or "import random" in text:
            wrong.append(name_of(path))
    assert wrong == []


# What recall needs, for that is what a hook does.
HOOK_PATH = "ibid.engine.memory"
FORBIDDEN = ("pygls", "lsprotocol", "sqlite_utils", "watchdog", "pydantic", "numpy")


@pytest.mark.parametrize("module", [HOOK_PATH, "ibid.text.redact", "ibid.store.schema"])
def test_a_hook_imports_nothing_heavy(module: str):
    """Recall imports none of the heavy libraries."""
    code = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(ROOT / "server"), "PATH": "/usr/bin:/bin"},
    )
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert loaded.isdisjoint(FORBIDDEN)
    assert "click" not in loaded
