"""Nothing opens a network socket: the suite, run once with sockets forbidden (Q2)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FORBIDDEN = ROOT / "tests" / "data" / "forbid_sockets"

# Every face, the duties and the engine, each in processes of its own where it has some.
REPRESENTATIVE = (
    "tests/cli/test_commands.py::test_the_main_job_from_end_to_end",
    "tests/cli/test_commands.py::test_a_real_process_answers_with_clean_streams",
    "tests/hooks/test_processes.py::test_a_prompt_gets_its_block_and_a_receipt",
    "tests/hooks/test_processes.py::"
    "test_the_end_of_a_session_imports_it_without_an_editor",
    "tests/mcp/test_server.py::test_every_answer_and_the_footprint_are_metered",
    "tests/lsp/test_features.py::test_recall_gives_a_block_and_tells_of_it",
    "tests/lsp/test_features.py::test_an_imported_session_reaches_the_queue",
    "tests/duties/test_follow.py",
    "tests/engine/test_recall.py",
)

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="asyncio wakes itself by a local TCP socket there"
)


def run(folder: Path, *words: str) -> tuple[subprocess.CompletedProcess[str], str]:
    """Run Python with sockets forbidden; return how it went and what was tried."""
    told = folder / "sockets.txt"
    env = {
        **os.environ,
        "IBID_TEST_SOCKETS": str(told),
        "IBID_TEST_PATH": str(FORBIDDEN),
        "PYTHONPATH": os.pathsep.join([str(FORBIDDEN), str(ROOT / "server")]),
    }
    done = subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    return done, told.read_text() if told.exists() else ""


@pytest.mark.parametrize(
    "code",
    [
        "import socket; socket.create_connection(('127.0.0.1', 9), timeout=1)",
        "import socket; socket.socket().bind(('127.0.0.1', 0))",
        "import socket; socket.getaddrinfo('localhost', 80)",
    ],
)
def test_the_ban_is_real(tmp_path: Path, code: str) -> None:
    """What opens a socket fails, and is written down."""
    done, tried = run(tmp_path, "-c", code)
    assert done.returncode != 0
    assert "no network in this run" in done.stderr
    assert tried


@pytest.mark.slow
def test_a_representative_part_of_the_suite_needs_no_socket(tmp_path: Path) -> None:
    """Command line, hooks, MCP, language server, import and recall all pass."""
    words = ("-m", "pytest", "-q", "-p", "no:cacheprovider", *REPRESENTATIVE)
    done, tried = run(tmp_path, *words)
    assert tried == ""
    assert done.returncode == 0, done.stdout[-3000:]
    assert " passed" in done.stdout
