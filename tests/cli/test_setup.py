"""``ibid setup`` and ``ibid doctor`` in a home of their own (R3, R5, Q1, P4)."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import string
import subprocess
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest

from ibid.agents.setups import AGENTS, Where, load_setup
from ibid.store import handshakes

THEIRS = (
    b'\xef\xbb\xbf{\r\n\t// my models\r\n\t"model": "big", /* or small */\r\n'
    b'\t"hooks": {\r\n\t\t"Stop": [{"hooks": [{"type": "command", "command": "say"}]}],'
    b'\r\n\t\t"sessionStart": [{"command": "say"}],\r\n\t},\r\n'
    b'\t"mcpServers": {"docs": {"command": "docs"}},\r\n}'
)
CONFIG = b"model = 'big' # mine\r\n\r\n[mcp_servers.docs]\r\ncommand = 'docs'\r\n"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home; no agent of this machine and no variable of a rival."""
    folder = tmp_path / "home"
    folder.mkdir()
    for name in ("CODEX_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME", "GEMINI_CLI_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in list(os.environ):
        if name.endswith("_BASE_URL"):
            monkeypatch.delenv(name)
    monkeypatch.setattr("ibid.duties.doctor.shutil.which", lambda *_, **__: None)
    return folder


def tree(home: Path) -> dict[str, bytes | None]:
    """Return every file and folder below a home."""
    return {
        str(path.relative_to(home)): path.read_bytes() if path.is_file() else None
        for path in sorted(home.rglob("*"))
    }


def fill(home: Path, agent: str) -> None:
    """Give an agent settings of somebody, in every file that set-up writes."""
    for file in load_setup(agent).plan(Where(str(home), os.environ, ("x",))).files:
        path = Path(file.path)
        if file.form != "text":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(CONFIG if file.form == "toml" else THEIRS)


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("filled", [False, True])
def test_set_up_and_undo_leave_no_trace(
    ibid: Any, home: Path, agent: str, filled: bool
) -> None:
    """Twice is once, undo is byte-identical, folders made for it go too."""
    if filled:
        fill(home, agent)
    before = tree(home)
    first = json.loads(ibid("--json", "setup", agent, "--yes").stdout)
    after = tree(home)
    assert first["state"] == "installed"
    assert first["todo"]
    assert all(one["changed"] for one in first["files"])
    second = json.loads(ibid("--json", "setup", agent, "--yes").stdout)
    assert (second["state"], tree(home)) == ("unchanged", after)
    ibid("setup", agent, "--undo", "--yes")
    assert tree(home) == before
    again = json.loads(ibid("--json", "setup", agent, "--undo", "--yes").stdout)
    assert (again["state"], tree(home)) == ("unchanged", before)


@pytest.mark.parametrize("agent", AGENTS)
def test_what_others_write_in_between_stays(ibid: Any, home: Path, agent: str) -> None:
    """An agent that writes its settings anew keeps them; ours are gone after undo."""
    fill(home, agent)
    ibid("setup", agent, "--yes")
    files = load_setup(agent).plan(Where(str(home), os.environ, ("x",))).files
    for file in files:
        path = Path(file.path)
        if file.form == "toml":
            path.write_bytes(path.read_bytes() + b"[later]\r\nx = 1\r\n")
        elif file.form == "json":
            from ibid.files import jsonc

            value = jsonc.loads(path.read_text("utf-8-sig"))
            path.write_text(json.dumps({**value, "later": 1}))
    ibid("setup", agent, "--undo", "--yes")
    for file in files:
        path = Path(file.path)
        if file.form == "toml":
            assert path.read_bytes() == CONFIG + b"[later]\r\nx = 1\r\n"
        elif file.form == "json":
            value = json.loads(path.read_text())
            assert value.pop("later") == 1
            value.pop("version", None)
            assert value["mcpServers"] == {"docs": {"command": "docs"}}
            assert list(value["hooks"]) == ["Stop", "sessionStart"]
            assert [len(rows) for rows in value["hooks"].values()] == [1, 1]


def test_the_change_is_shown_and_asked_for(ibid: Any, home: Path) -> None:
    """A no changes nothing; a dry run shows the diff; secrets are cut from it."""
    letters = string.ascii_letters + string.digits
    secret = "gh" + "p_" + "".join(secrets.choice(letters) for _ in range(36))
    path = home / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"key": secret}, indent=1))
    done = ibid("setup", "gemini", text="n\n", status=1)
    assert "+" in done.output
    assert "BeforeAgent" in done.output
    assert secret not in done.output
    dry = json.loads(ibid("--json", "setup", "gemini", "--dry-run").stdout)
    assert dry["state"] == "preview"
    assert "BeforeAgent" in dry["files"][0]["diff"]
    assert json.loads(path.read_text()) == {"key": secret}


def test_settings_that_cannot_be_edited_stay(ibid: Any, home: Path) -> None:
    """Broken or foreign settings are named; no file of the agent is changed."""
    fill(home, "claude-code")
    (home / ".claude.json").write_text('{"mcpServers": {"ibid": {"command": "other"}}}')
    before = tree(home)
    done = ibid("setup", "claude-code", "--yes", status=2)
    assert "mcpServers.ibid in line 1 is already there" in done.stderr
    assert tree(home) == before


def test_hooks_and_servers_are_where_agents_look(ibid: Any, home: Path) -> None:
    """The shapes that agents document, with the command that runs us."""
    for agent in AGENTS:
        ibid("setup", agent, "--yes")
    claude = json.loads((home / ".claude" / "settings.json").read_text())
    handler = claude["hooks"]["UserPromptSubmit"][0]["hooks"][0]
    assert handler["type"] == "command"
    assert handler["command"].endswith("hook claude-code")
    servers = json.loads((home / ".claude.json").read_text())["mcpServers"]
    assert servers["ibid"]["args"][-1] == "mcp"
    codex = tomllib.loads((home / ".codex" / "config.toml").read_text())
    assert codex["mcp_servers"]["ibid"]["env"]["IBID_HOME"] == os.environ["IBID_HOME"]
    gemini = json.loads((home / ".gemini" / "settings.json").read_text())
    assert gemini["hooks"]["BeforeAgent"][0]["hooks"][0]["timeout"] == 5_000
    cursor = json.loads((home / ".cursor" / "hooks.json").read_text())
    assert cursor["version"] == 1
    copilot = json.loads((home / ".copilot" / "hooks" / "ibid.json").read_text())
    assert copilot["hooks"]["agentStop"][0]["bash"].endswith("hook copilot agentStop")


NODE = shutil.which("node")


@pytest.mark.skipif(NODE is None, reason="the plugin is JavaScript: needs node")
def test_the_plugin_of_opencode_adds_and_never_throws(
    home: Path, tmp_path: Path
) -> None:
    """A start's and a prompt's context are added as parts; a broken Ibid adds none."""
    script = tmp_path / "fake.mjs"
    script.write_text(
        "let s='';process.stdin.on('data',d=>s+=d).on('end',()=>{const t=JSON.parse(s);"
        "process.stdout.write(JSON.stringify({context:t.event+':'+(t.prompt??'')}))})"
    )
    assert NODE is not None
    driver = (
        "const {Ibid}=await import(process.argv[1]);"
        "const p=await Ibid({directory:'/w'});"
        "await p.event({event:{type:'session.created',properties:{info:{id:'s'}}}});"
        "const o={message:{id:'m'},parts:[{type:'text',text:'hi'}]};"
        "await p['chat.message']({sessionID:'s'},o);"
        "console.log(JSON.stringify(o.parts.map(x=>x.text)))"
    )
    for command, said in (
        ((NODE, str(script)), ["hi", "session.created:", "chat.message:hi"]),
        ((str(tmp_path / "none"),), ["hi"]),
    ):
        files = load_setup("opencode").plan(Where(str(home), {}, command)).files
        plugin = tmp_path / f"plugin{len(said)}.mjs"
        plugin.write_text(files[0].entries[0].value)
        words = [NODE, "--input-type=module", "-e", driver, plugin.as_uri()]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        assert json.loads(done.stdout) == said


def test_editors_are_told_what_to_do(ibid: Any, home: Path) -> None:
    """Their configuration is the person's; nothing is written."""
    assert "vim.lsp.enable" in ibid("setup", "nvim").stdout
    assert "vsix" in ibid("setup", "vscode").stdout
    assert tree(home) == {}


STOP = {"hooks": [{"type": "command", "command": "cavemem hook run stop"}]}
PLANTED: dict[str, tuple[str, Any]] = {
    "cavemem": (".claude/settings.json", {"hooks": {"Stop": [STOP]}}),
    "headroom": (".gemini/settings.json", {"mcpServers": {"headroom": {"args": []}}}),
    "lean-ctx": (".cursor/mcp.json", {"mcpServers": {"x": {"command": "lean-ctx"}}}),
    "claude-mem": (
        ".claude/settings.json",
        {"enabledPlugins": {"claude-mem@thedotmack": True}},
    ),
}


@pytest.mark.parametrize("rival", PLANTED)
def test_set_up_refuses_beside_a_rival(ibid: Any, home: Path, rival: str) -> None:
    """It names the rival and the fix, fails and changes nothing; recall refuses too."""
    name, value = PLANTED[rival]
    (home / name).parent.mkdir()
    (home / name).write_text(json.dumps(value))
    before = tree(home)
    done = ibid("setup", "claude-code", "--yes", status=1)
    assert f"{rival} is active" in done.stderr
    assert f"~/{name}" in done.stderr
    assert f"ibid doctor --allow {rival}" in done.stderr
    assert tree(home) == before
    assert not Path(os.environ["IBID_HOME"]).exists()
    recalled = json.loads(ibid("--json", "recall", "why do uploads retry").stdout)
    assert recalled["block"] is None
    assert f"{rival} is active" in recalled["reason"]
    report = json.loads(ibid("--json", "doctor", status=1).stdout)
    assert [one["rival"] for one in report["rivals"]] == [rival]
    allowed = json.loads(ibid("--json", "doctor", "--allow", rival).stdout)
    assert allowed["rivals"][0]["state"] == "allowed"
    ibid("setup", "claude-code", "--yes")


def test_a_project_of_somebody_else_is_not_this_one(ibid: Any, home: Path) -> None:
    """Servers that Claude Code has for another project refuse nothing here."""
    server = {"mcpServers": {"cavemem": {"command": "cavemem"}}}
    (home / ".claude.json").write_text(json.dumps({"projects": {"/other": server}}))
    ibid("setup", "codex", "--yes")


def test_left_over_folders_only_warn(ibid: Any, home: Path) -> None:
    """Set-up goes on and says what is left."""
    (home / ".claude-mem").mkdir()
    done = ibid("setup", "codex", "--yes")
    assert "claude-mem is not active; left over: folder ~/.claude-mem" in done.stderr


def test_the_doctor_believes_a_hook_that_ran(ibid: Any, home: Path) -> None:
    """Set up alone is silent; a call of ours since then is working."""
    ibid("setup", "codex", "--yes")

    def state() -> str:
        report = json.loads(ibid("--json", "doctor").stdout)
        return next(o["state"] for o in report["agents"] if o["agent"] == "codex")

    assert state() == "silent"
    at = int(time.time() * 1000) + 5_000
    handshakes.record(os.environ["IBID_HOME"], "codex", "UserPromptSubmit", at)
    assert state() == "working"


def test_the_doctor_counts_what_expires(ibid: Any, home: Path) -> None:
    """By the agent's own period and the files' age; imported ones are kept."""
    folder = home / ".claude" / "projects" / "-w"
    folder.mkdir(parents=True)
    (home / ".claude" / "settings.json").write_text('{"cleanupPeriodDays": 10}')
    samples = Path(__file__).parents[2] / "samples" / "sessions"
    sample = next(one for one in samples.glob("*.jsonl") if one.name[8] == "-")
    now = time.time()
    for at, days in enumerate((9, 5, 1)):
        path = folder / f"{at}{sample.name[1:]}"
        shutil.copy(sample, path)
        os.utime(path, (now - days * 86_400,) * 2)
    report = json.loads(ibid("--json", "doctor").stdout)
    assert report["expiring"] == [
        {"agent": "claude-code", "days": 10, "sessions": 3, "soon": 2, "kept": 0}
    ]
    ibid("import", str(folder / f"0{sample.name[1:]}"))
    report = json.loads(ibid("--json", "doctor").stdout)
    assert report["expiring"][0]["kept"] == 1


def test_the_store_of_a_new_home_is_private(ibid: Any) -> None:
    """Each folder on the way to it is its owner's only, and the doctor says so."""
    report = json.loads(ibid("--json", "doctor").stdout)
    found = [one for one in report["checks"] if one["name"] == "permissions"]
    assert [one["state"] for one in found] == ["ok"]


def test_the_extension_is_installed_by_the_name_it_is_built_with(ibid: Any) -> None:
    """What set-up for VS Code says to install is what `npm run package` writes."""
    package = Path(__file__).parents[2] / "client-vscode" / "package.json"
    built = json.loads(package.read_text())["scripts"]["package"].split()[-1]
    assert f"--install-extension {built}" in ibid("setup", "vscode").stdout
