"""Several windows on a project, several projects in one, another editor beside."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from .test_neovim import MISSING, find_nvim
from .workbench import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .conftest import Memory
    from .workbench import Workbench

pytestmark = pytest.mark.editor

QUEUE, NOTES = "Review queue", "Notes"
RULE = "Never log request bodies in payments/."
RETRY = "Retry limit is 3 for all outbound calls."


def has(text: str) -> Any:
    """Return whether any of the labels seen contains ``text``."""
    return lambda seen: any(text in one for one in seen)


def lacks(text: str) -> Any:
    """Return whether none of the labels seen contains ``text``."""
    return lambda seen: not any(text in one for one in seen)


@pytest.fixture
def window(bench: Workbench, memory: Memory) -> Iterator[Workbench]:
    """Show the project, and at the end its first window again."""
    bench.do("window", "first")
    bench.reopen(memory.folder)
    bench.do("container", "Ibid")
    bench.until(lambda: bench.labels(NOTES))
    yield bench
    bench.do("window", "first")


def test_a_change_in_one_window_shows_in_the_other(
    window: Workbench, memory: Memory
) -> None:
    """Two servers, one memory: neither window waits for a refresh by hand (R1)."""
    window.do("window", "second")
    window.open(memory.folder)
    window.do("container", "Ibid")
    window.until(lambda: window.labels(QUEUE), has(RULE))
    window.do("act", QUEUE, RULE, "Accept")
    window.until(lambda: window.labels(NOTES), has(RULE))
    window.do("window", "first")
    window.until(lambda: window.labels(NOTES), has(RULE))
    window.until(lambda: window.labels(QUEUE), lacks(RULE))


def test_each_folder_of_a_workspace_has_its_own_memory(
    window: Workbench, memory: Memory
) -> None:
    """One server, two projects: the switch shows the other one's memory (S2)."""
    other = memory.home / "mail"
    other.mkdir()
    memory.run("note", "add", "Mail goes out at night.", "--project", str(other))
    both = memory.home / "both.code-workspace"
    folders = [{"path": "shop"}, {"path": "mail"}]
    both.write_text(json.dumps({"folders": folders}), encoding="utf-8")
    window.do("window", "several")
    window.open(both)
    window.do("container", "Ibid")
    window.until(lambda: window.labels(NOTES), has(RETRY))
    window.until(lambda: window.do("status")["text"], lambda seen: "shop" in seen)
    window.do("palette", "Ibid: Switch Project")
    window.do("pick", "mail")
    window.until(lambda: window.labels(NOTES), has("Mail goes out"))
    assert not has(RETRY)(window.labels(NOTES))
    window.do("click", NOTES, "Mail goes out")
    window.until(
        lambda: window.do("editor"), lambda seen: "Mail goes out" in seen["text"]
    )
    window.shot("folders")


def test_a_window_without_a_folder_says_what_memory_is_of(window: Workbench) -> None:
    """Nothing is empty without a word: the view says that it wants a folder (R2)."""
    window.do("window", "empty")
    window.do("open", f"{window.address}?ew=true")
    window.do("container", "Ibid")
    window.until(
        lambda: window.do("welcome", QUEUE), lambda seen: "belongs to a project" in seen
    )


@pytest.mark.skipif(find_nvim() is None, reason=MISSING)
def test_neovim_and_vscode_share_a_memory_while_both_run(
    window: Workbench, memory: Memory
) -> None:
    """What is remembered in one editor is there in the other at once (R1)."""
    nvim = start_nvim(memory)
    try:
        said = "Invoices are numbered without gaps."
        window.until(lambda: window.labels(NOTES), has(said))
        window.do("act", NOTES, said, "Pin")
        out, err = nvim.communicate(timeout=60)
    finally:
        nvim.kill()
        nvim.wait()
    assert "pinned: true" in out, err


def start_nvim(memory: Memory) -> subprocess.Popen[str]:
    """Start a Neovim that adds a note, and ends when it sees that note pinned."""
    script = memory.home / "beside.lua"
    script.write_text(BESIDE, encoding="utf-8")
    nvim = find_nvim()
    assert nvim is not None
    return subprocess.Popen(
        [nvim, "--clean", "--headless", "-l", str(script),
         str(ROOT / "client-nvim"), str(memory.command), "src/upload.py"],
        cwd=memory.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, encoding="utf-8",
    )  # fmt: skip


BESIDE = """
vim.opt.runtimepath:prepend(arg[1])
vim.g.ibid = { cmd = { arg[2], 'lsp' } }
vim.cmd('runtime plugin/ibid.lua')
vim.cmd.edit(arg[3])
vim.cmd('filetype detect')
local client
vim.wait(30000, function()
  client = vim.lsp.get_clients({ name = 'ibid' })[1]
  return client ~= nil and client.initialized == true
end, 50)
local function ask(method, params)
  local answer = assert(client:request_sync(method, params, 20000))
  return assert(answer.result, vim.inspect(answer))
end
local note = ask('ibid/note/add', { text = 'Invoices are numbered without gaps.' })
local pinned = false
vim.wait(40000, function()
  for _, one in ipairs(ask('ibid/note/list', vim.empty_dict()).notes) do
    pinned = pinned or (one.id == note.id and one.pinned)
  end
  return pinned
end, 200)
io.stdout:write('pinned: ' .. tostring(pinned) .. '\\n')
"""
