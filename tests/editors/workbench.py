"""A real VS Code for a test: installed once, started with a fresh profile, driven.

``Workbench`` is what a person has before them: a code-server with the extension in
it, and a Chromium that shows it.  Its methods are the verbs of ``vscode/driver.mjs``.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "client-vscode"
SETTINGS = {
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": False,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "chat.commandCenter.enabled": False,
    "chat.disableAIFeatures": True,
    "telemetry.telemetryLevel": "off",
    "extensions.autoUpdate": False,
    "extensions.autoCheckUpdates": False,
    "extensions.ignoreRecommendations": True,
    "update.mode": "none",
    "editor.minimap.enabled": False,
    "workbench.enableExperiments": False,
    "git.enabled": False,
}


class MissingEditorError(Exception):
    """What a real VS Code needs is not here; the message is the reason to skip."""


class DriverError(Exception):
    """The driver could not do or see what it was asked to."""


def ensure_editor() -> Path:
    """Return the folder with the editor, installing it there on first use.

    Raises:
        MissingEditorError: something is missing that cannot be installed from here.
    """
    if shutil.which("npm") is None:
        raise MissingEditorError("no npm on the PATH")
    script = ROOT / "scripts" / "real_vscode.sh"
    done = subprocess.run([script], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MissingEditorError(done.stderr.strip() or "the editor did not install")
    return Path(done.stdout.strip().splitlines()[-1])


def ensure_vsix(to: Path) -> Path:
    """Build the extension from its source and pack it into ``to``.

    Raises:
        MissingEditorError: its dependencies are not installed and cannot be.
    """
    if not (CLIENT / "node_modules" / "esbuild").is_dir():
        done = subprocess.run(
            ["npm", "ci"], cwd=CLIENT, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise MissingEditorError(f"npm ci failed: {done.stderr[-400:]}")
    vsix = to / "ibid.vsix"
    command = ["npm", "run", "package", "--", "--out", str(vsix)]
    subprocess.run(command, cwd=CLIENT, capture_output=True, text=True, check=True)
    return vsix


class Workbench:
    """One code-server with one profile, and the page that shows it."""

    def __init__(
        self,
        editor: Path,
        vsix: Path,
        home: Path,
        server: Path,
        *,
        asks_for_trust: bool = False,
        settings: dict[str, Any] | None = None,
    ) -> None:
        """Install the extension into a fresh profile below ``home`` and start it."""
        self.home = home
        self._asks_for_trust = asks_for_trust
        self.sound = False
        self._node = editor / "node_modules" / "node" / "bin" / "node"
        self._entry = editor / "node_modules" / "code-server" / "out/node/entry.js"
        self._editor = editor
        trust = {"security.workspace.trust.enabled": asks_for_trust}
        _write_settings(
            home / "data" / "User", {**SETTINGS, **trust, **(settings or {})}
        )
        # The browser is the local side here: machine settings are the server's.
        _write_settings(home / "data" / "Machine", {"ibid.server.path": str(server)})
        self._profile = [
            f"--user-data-dir={home / 'data'}",
            f"--extensions-dir={home / 'x'}",
        ]
        self._environment = {
            **os.environ,
            "HOME": str(home),
            "XDG_DATA_HOME": str(home / "share"),
            "XDG_CONFIG_HOME": str(home / "config"),
        }
        self._install(vsix)
        self._server, self.address = self._serve()
        self._driver = self._drive()

    def _install(self, vsix: Path) -> None:
        command = [self._node, self._entry, *self._profile, "--install-extension", vsix]
        subprocess.run(
            command, env=self._environment, capture_output=True, text=True, check=True
        )

    def _serve(self) -> tuple[subprocess.Popen[str], str]:
        flags = "--auth none --bind-addr 127.0.0.1:0 --disable-telemetry"
        flags += " --disable-update-check"
        flags += "" if self._asks_for_trust else " --disable-workspace-trust"
        log = self.home / "code-server.log"
        with log.open("w", encoding="utf-8") as out:
            server = subprocess.Popen(
                [self._node, self._entry, *flags.split(), *self._profile],
                env=self._environment,
                stdout=out,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
        try:
            return server, _address_in(log)
        except TimeoutError:
            _end(server)
            raise

    def _drive(self) -> subprocess.Popen[str]:
        chrome = shutil.which("chromium") or shutil.which("google-chrome")
        script = Path(__file__).parent / "vscode" / "driver.mjs"
        return subprocess.Popen(
            [self._node, script, self._editor, chrome],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )

    def open(self, folder: Path) -> None:
        """Open a folder, or a workspace's file, in a new page."""
        kind = "workspace" if folder.suffix == ".code-workspace" else "folder"
        address = f"{self.address}?{kind}={quote(str(folder))}"
        self.do("open", address)
        # On a busy machine the editor sometimes hands a workspace's file to its
        # extensions without the folders in it, and never adds them.  A person would
        # load the window again.
        if kind == "workspace" and not self._soon(lambda: self.do("status")["text"]):
            self.do("open", address)
        self.sound = True

    def _soon(self, see: Callable[[], Any], most: int = 30) -> bool:
        end = time.monotonic() + most
        while not see():
            if time.monotonic() > end:
                return False
            time.sleep(0.2)
        return True

    def reopen(self, folder: Path) -> None:
        """Make a clean start: a new page only if something went wrong in this one."""
        if self.sound:
            self.do("tidy")
        else:
            self.open(folder)

    def do(self, verb: str, *args: Any) -> Any:
        """Ask the driver for one of its verbs.

        Raises:
            DriverError: what was to be seen or clicked is not there.
        """
        assert self._driver.stdin is not None
        assert self._driver.stdout is not None
        self._driver.stdin.write(json.dumps({"verb": verb, "args": args}) + "\n")
        self._driver.stdin.flush()
        answer = json.loads(self._driver.stdout.readline())
        if "error" in answer:
            self.sound = False
            self.shot("failed")
            raise DriverError(f"{verb} {args}: {answer['error']}")
        return answer["result"]

    def until(
        self, see: Callable[[], Any], like: Callable[[Any], Any] = bool, most: int = 30
    ) -> Any:
        """Look until what is seen is as expected; return it, or fail showing it."""
        end = time.monotonic() + most
        while True:
            seen = see()
            if like(seen):
                return seen
            if time.monotonic() > end:
                self.sound = False
                self.shot("failed")
                raise AssertionError(f"still seen after {most} s: {seen!r}")
            time.sleep(0.2)

    def labels(self, view: str) -> list[str]:
        """Return the labels of a view's visible rows."""
        return [row["label"] for row in self.do("rows", view)]

    def shot(self, name: str) -> None:
        """Keep a picture in ``$IBID_SCREENSHOTS``, else in the profile."""
        folder = Path(os.environ.get("IBID_SCREENSHOTS", self.home / "shots"))
        folder.mkdir(parents=True, exist_ok=True)
        assert self._driver.stdin is not None
        assert self._driver.stdout is not None
        order = {"verb": "shot", "args": [str(folder / f"{name}.png")]}
        self._driver.stdin.write(json.dumps(order) + "\n")
        self._driver.stdin.flush()
        self._driver.stdout.readline()

    def close(self) -> None:
        """End the browser and the server with all they started."""
        for pipe in (self._driver.stdin, self._driver.stdout):
            if pipe is not None:
                pipe.close()
        _end(self._driver)
        _end(self._server)


def _write_settings(folder: Path, settings: dict[str, Any]) -> None:
    folder.mkdir(parents=True)
    (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")


def _address_in(log: Path) -> str:
    end = time.monotonic() + 30
    while time.monotonic() < end:
        said = log.read_text(encoding="utf-8")
        found = re.search(r"listening on (http://\S+)", said)
        if found is not None:
            return found.group(1).rstrip("/") + "/"
        time.sleep(0.1)
    raise TimeoutError(log.read_text(encoding="utf-8"))


def _end(process: subprocess.Popen[str]) -> None:
    # Its own session: nothing else is in that group.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
