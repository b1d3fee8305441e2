"""Ibid's main job from end to end: ``make run``.

Without arguments: the sample sessions, in a memory of their own that is thrown away
afterwards, with the clock set to the days the samples tell of.  With ``--project DIR``:
what this machine's agents kept of that project, in your own memory.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
IBID = [sys.executable, "-m", "ibid"]


class Stage:
    """Runs Ibid as a person and an editor would, and shows what it answers."""

    def __init__(self, project: Path, home: Path | None) -> None:
        self.project = project
        self.env = dict(os.environ)
        if home is not None:
            self.env["IBID_HOME"] = str(home)
            self.env["HOME"] = str(home)

    def at(self, moment: str) -> None:
        """Set the clock, for the samples' sake."""
        then = datetime.fromisoformat(moment).replace(tzinfo=UTC)
        self.env["IBID_NOW"] = str(int(then.timestamp() * 1000))
        say(
            f"\n\033[2m— {moment} —\033[0m"
            if sys.stdout.isatty()
            else f"\n- {moment} -"
        )

    def run(self, *words: str) -> None:
        """Run one command and show it with its answer."""
        say(f"\n$ ibid {' '.join(quoted(word) for word in words)}")
        subprocess.run(
            [*IBID, "--project", str(self.project), *words], env=self.env, check=True
        )

    def ask(self, *words: str) -> Any:
        """Run one command for its JSON, unseen."""
        done = subprocess.run(
            [*IBID, "--project", str(self.project), "--json", *words],
            env=self.env,
            check=True,
            capture_output=True,
        )
        return json.loads(done.stdout)


class Editor:
    """The few words of LSP that an editor needs for a lens and a hover."""

    def __init__(self, stage: Stage) -> None:
        self.process = subprocess.Popen(
            [*IBID, "lsp"], env=stage.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.number = 0
        folder = {"uri": stage.project.as_uri(), "name": stage.project.name}
        given = {
            "processId": os.getpid(),
            "rootUri": folder["uri"],
            "capabilities": {},
            "workspaceFolders": [folder],
            "initializationOptions": {"watch": False},
        }
        self.server = self.request("initialize", given)["serverInfo"]
        self.notify("initialized", {})

    def request(self, method: str, params: Any) -> Any:
        """Send a request and wait for its answer."""
        self.number += 1
        self._send({"id": self.number, "method": method, "params": params})
        while True:
            message = self._receive()
            if message.get("id") == self.number and "method" not in message:
                if "error" in message:
                    raise SystemExit(f"{method}: {message['error']['message']}")
                return message["result"]

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def close(self) -> None:
        """Shut the server down as an editor does."""
        self.request("shutdown", None)
        self.notify("exit", None)
        self.process.wait(timeout=10)

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        length = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        if not length:
            raise SystemExit("The language server ended; see its messages above.")
        found: dict[str, Any] = json.loads(self.process.stdout.read(length))
        return found


def say(text: str) -> None:
    """Print at once, so that it stands in order with the commands' own output."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def quoted(word: str) -> str:
    """Return a word as one would type it."""
    return f'"{word}"' if " " in word else word


def in_the_editor(stage: Stage, file: Path) -> None:
    """Show the lens and the hover that an editor gets for ``file``."""
    editor = Editor(stage)
    say(f"\nIn the editor ({editor.server['name']} {editor.server['version']}, LSP):")
    document = {"uri": file.as_uri()}
    lenses = editor.request("textDocument/codeLens", {"textDocument": document})
    lines = file.read_text(encoding="utf-8").splitlines()
    for lens in lenses:
        line = lens["range"]["start"]["line"]
        say(
            f"  lens   {lens['command']['title']}\n         {line + 1:>4} {lines[line]}"
        )
    if lenses:
        line = lenses[-1]["range"]["start"]["line"]
        words = lines[line].replace("(", " ( ").split()
        name = words[1] if len(words) > 1 else words[0]
        position = {"line": line, "character": lines[line].find(name)}
        hover = editor.request(
            "textDocument/hover", {"textDocument": document, "position": position}
        )
        shown = hover["contents"]["value"] if hover else "(nothing)"
        say("  hover  " + shown.replace("\n", "\n         "))
    editor.close()


def samples(keep: Path | None) -> None:
    """Play the sample sessions in a memory that is thrown away."""
    base = keep or Path(tempfile.mkdtemp(prefix="ibid-demo-"))
    project = base / "parcel"
    shutil.copytree(ROOT / "samples" / "parcel", project, dirs_exist_ok=True)
    first, second = sorted(
        (ROOT / "samples" / "sessions").glob("*.jsonl"), key=_first_moment
    )
    stage = Stage(project, base / "home")
    try:
        stage.at("2026-03-12 08:55")
        stage.run("project", "list")
        stage.ask("note", "list")
        stage.at("2026-03-12 09:12")
        say("An agent's transcript goes in; what the person said becomes candidates:")
        stage.run("import", str(first))
        stage.run("review", "list")
        stage.at("2026-03-12 09:50")
        say("Thirty quiet minutes later they have settled; one more by hand:")
        stage.run("review", "list")
        stage.run(
            "note", "add", "backoff() in src/upload.py never waits longer than 30 s"
        )
        stage.run("note", "list")
        stage.at("2026-03-19 14:30")
        stage.run("import", str(second))
        queue = stage.ask("review", "list")
        say("A person need not wait:")
        stage.run("review", "accept", queue[0]["id"])
        say("\nThe next prompt gets what is relevant, labelled and paid for:")
        prompt = "The retry loop of Uploader.send needs the 416 case. How many retries?"
        stage.run("recall", prompt, "--session", "new", "--agent", "claude-code")
        stage.run("receipts", "1")
        in_the_editor(stage, project / "src" / "upload.py")
        stage.run("verify")
    finally:
        if keep is None:
            shutil.rmtree(base, ignore_errors=True)


def _first_moment(path: Path) -> str:
    for line in path.read_text(encoding="utf-8").splitlines():
        moment = json.loads(line).get("timestamp")
        if moment:
            return str(moment)
    return ""


def real(project: Path) -> None:
    """Show what this machine's agents said in ``project``, in your own memory."""
    stage = Stage(project, None)
    stage.run("import")
    stage.run("review", "list", "--limit", "15")
    stage.run("session", "list", "--limit", "5")
    queue = stage.ask("review", "list", "--limit", "1")
    asked = queue[0]["text"] if queue else "What did we do last time?"
    stage.run("recall", asked, "--session", "demo")
    stage.run("receipts", "--limit", "3")


def main() -> None:
    """Run the demonstration."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--project", type=Path, help="a project of yours")
    parser.add_argument("--keep", type=Path, help="keep the samples' memory here")
    given = parser.parse_args()
    if given.project:
        real(given.project.resolve())
    else:
        samples(given.keep)


if __name__ == "__main__":
    main()
