"""opencode: a small plugin of our own, and the MCP server in its settings (R3)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ibid.agents.setups import JSON, NAME, TEXT, Entry, File, Found, Plan, at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ibid.agents.setups import Where, at

# It adds to a message before it is sent and never changes one that was (Q3).  Whatever
# fails, the message goes out as it is (G7).
_PLUGIN = """\
// Written by `ibid setup opencode`; removed by `ibid setup opencode --undo`.
import { spawn } from "node:child_process";

const COMMAND = @COMMAND@;
const PATIENCE = 2000;

function call(told) {
  return new Promise((resolve) => {
    try {
      const [program, ...words] = COMMAND;
      const child = spawn(program, words, {
        stdio: ["pipe", "pipe", "ignore"],
        windowsHide: true,
      });
      let said = "";
      const timer = setTimeout(() => {
        child.kill();
        resolve("");
      }, PATIENCE);
      child.stdout.on("data", (data) => (said += data));
      child.stdin.on("error", () => {});
      child.on("error", () => {
        clearTimeout(timer);
        resolve("");
      });
      child.on("close", () => {
        clearTimeout(timer);
        try {
          resolve(said ? (JSON.parse(said).context ?? "") : "");
        } catch {
          resolve("");
        }
      });
      child.stdin.end(JSON.stringify(told));
    } catch {
      resolve("");
    }
  });
}

export const Ibid = async ({ directory }) => {
  const waiting = new Map();
  let made = 0;

  async function start(event, sessionID, rest) {
    const text = await call({ event, sessionID, directory, ...rest });
    if (text) waiting.set(sessionID, text);
  }

  return {
    event: async ({ event }) => {
      const told = event.properties ?? {};
      const sessionID = told.sessionID ?? told.info?.id;
      if (!sessionID) return;
      if (event.type === "session.created") {
        const parentID = told.info?.parentID;
        waiting.set(sessionID, start(event.type, sessionID, { parentID }));
      } else if (event.type === "session.compacted") {
        waiting.set(sessionID, start(event.type, sessionID, {}));
      } else if (event.type === "session.idle" || event.type === "session.deleted") {
        await call({ event: event.type, sessionID, directory });
        if (event.type === "session.deleted") waiting.delete(sessionID);
      }
    },
    "chat.message": async (input, output) => {
      try {
        const sessionID = input.sessionID;
        const prompt = (output.parts ?? [])
          .filter((part) => part.type === "text" && !part.synthetic)
          .map((part) => part.text)
          .join("\\n");
        await waiting.get(sessionID);
        const first = waiting.get(sessionID);
        waiting.delete(sessionID);
        const agent = input.agent;
        const told = { event: "chat.message", sessionID, directory, prompt, agent };
        const second = prompt ? await call(told) : "";
        for (const text of [first, second]) {
          if (typeof text !== "string" || !text) continue;
          made += 1;
          output.parts.push({
            id: `prt_${Date.now().toString(16)}ibid${made}`,
            sessionID,
            messageID: output.message.id,
            type: "text",
            text,
            synthetic: true,
          });
        }
      } catch {
        // The message goes out as it is.
      }
    },
    "experimental.session.compacting": async (input) => {
      const { sessionID } = input;
      await call({ event: "session.compacting", sessionID, directory });
    },
  };
};
"""


def plan(where: Where) -> Plan:
    """Return the plugin, which opencode loads from its folder, and the server."""
    folder = _folder(where)
    server = {"type": "local", "command": [*where.command, "mcp"], "enabled": True}
    command = json.dumps([*where.command, "hook", "opencode"])
    plugin = _PLUGIN.replace("@COMMAND@", command)
    return Plan(
        (
            File(at(folder, "plugins", "ibid.js"), TEXT, (Entry((), plugin),)),
            File(
                at(folder, "opencode.json"),
                JSON,
                (Entry(("mcp", NAME), server),),
            ),
        ),
        ("Start opencode anew: it loads plugins and servers when it starts.",),
    )


def found(where: Where) -> Found:
    """Return its command and folder."""
    return Found("opencode", _folder(where))


def settings(where: Where, project: str) -> tuple[str, ...]:
    """Return the person's and the project's settings."""
    names = ("opencode.json", "opencode.jsonc", "config.json")
    return (
        *(at(_folder(where), name) for name in names),
        *(at(project, name) for name in names[:2]),
        *(at(project, ".opencode", name) for name in names[:2]),
    )


def retention(settings: Mapping[str, Any]) -> int | None:
    """Return None: opencode keeps its sessions."""
    return None


def _folder(where: Where) -> str:
    above = where.env.get("XDG_CONFIG_HOME", "") or at(where.home, ".config")
    return at(above, "opencode")
