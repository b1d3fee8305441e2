/** What a row says of a file that agents read or wrote, and of each time they did (N7).  Pure. */
import { ago, clean, dotted, type Translate } from "./labels";
import type { FileHistory, FileTouch, TouchedFile } from "./reading";
import { belowRoot, documentOf, type Here, type Row, type Target } from "./rows";

/** One file of the project, with how often and when it was last touched. */
export function fileRow(of: TouchedFile, on: Here): Row {
  const { t } = on;
  const path = of.name ?? belowRoot(of.path, on.root);
  const [folder, name] = parted(path);
  return {
    id: `file/${of.path}`,
    label: clean(name, 120),
    description: dotted(clean(folder, 120), ago(of.at, on.now, t, on.locale)),
    tooltip: [clean(path), counts(of, t), t("Last {0}", ago(of.at, on.now, t, on.locale))],
    icon: "file-code",
    context: "readFile",
    open: openFile(of.path),
  };
}

function counts(of: TouchedFile, t: Translate): string {
  return dotted(
    of.sessions === 1 ? t("1 session") : t("{0} sessions", of.sessions),
    of.reads === 1 ? t("1 read") : t("{0} reads", of.reads),
    of.edits > 0 && (of.edits === 1 ? t("1 change") : t("{0} changes", of.edits)),
  );
}

/** The file in the active editor, above all others, with its history in a line. */
export function currentRow(path: string, history: FileHistory | undefined, on: Here): Row {
  const line = history === undefined ? "" : historyLine(history, on);
  const shown = history?.name ?? belowRoot(path, on.root);
  const [, name] = parted(shown);
  return {
    id: `current/${path}`,
    label: on.t("This file: {0}", clean(name, 120)),
    description: line === "" ? on.t("no agent has seen it") : line,
    tooltip: [clean(shown), line],
    icon: "eye",
    context: "readFile",
    open: openFile(path),
  };
}

/** The last read by an agent and what became of the file since, in one line; "" if none. */
export function historyLine(of: FileHistory, on: Here): string {
  const last = of.reads.find((touch) => touch.kind === "read") ?? of.reads.find((touch) => isAgents(touch));
  if (last === undefined) return "";
  const when = `${touchName(last, on.t)}, ${ago(last.at, on.now, on.t, on.locale)}`;
  return dotted(when, of.since.state === "changed" && on.t("changed since"), of.since.state === "gone" && on.t("gone"));
}

/** A row with the read or change it stands for. */
export interface TouchNode {
  readonly row: Row;
  readonly value?: FileTouch;
}

/** What stands under a file: what changed since, then each read and change, newest first. */
export function historyNodes(of: FileHistory, on: Here, id: string): TouchNode[] {
  if (of.reads.length === 0) {
    return [{ row: { id: `${id}/none`, label: on.t("No agent has read or changed it"), icon: "circle-slash" } }];
  }
  const touches = of.reads.map((value, at) => ({ row: touchRow(`${id}/${at}`, value, on), value }));
  const since = sinceRow(`${id}/since`, of.since, on);
  return since === undefined ? touches : [{ row: since }, ...touches];
}

function sinceRow(id: string, of: FileHistory["since"], on: Here): Row | undefined {
  const { t } = on;
  const look = { icon: "diff-modified", color: "list.warningForeground" };
  switch (of.state) {
    case "unknown":
      return undefined;
    case "unchanged":
      return { id, label: t("Unchanged since it was last read"), icon: "check" };
    case "gone":
      return { id, label: t("The file is gone"), ...look, icon: "trash" };
    case "changed": {
      const names = of.symbols.map((one) => symbolName(one, t));
      return {
        id,
        label: changedLabel(of.lines, t),
        description: dotted(clean(names.slice(0, 5).join(", "), 160), of.at !== null && ago(of.at, on.now, t, on.locale)),
        tooltip: [changedLabel(of.lines, t), ...names],
        ...look,
      };
    }
  }
}

function changedLabel(lines: number | null, t: Translate): string {
  if (lines === null) return t("Changed since it was last read");
  return lines === 1 ? t("1 line changed since it was last read") : t("{0} lines changed since it was last read", lines);
}

function symbolName(of: FileHistory["since"]["symbols"][number], t: Translate): string {
  const name = clean(of.callable ? `${of.name}()` : of.name, 80);
  return { added: t("{0} added", name), removed: t("{0} removed", name), changed: t("{0} changed", name) }[of.change];
}

/* One read or change; a click leads to the turn in which it happened. */
function touchRow(id: string, of: FileTouch, on: Here): Row {
  const { t } = on;
  const where = isAgents(of) ? clean(of.title, 80) || clean(of.session, 8) : "";
  return {
    id,
    label: touchName(of, t),
    description: dotted(
      ago(of.at, on.now, t, on.locale),
      where,
      of.turn !== null && t("turn {0}", of.turn),
      of.scope !== "" && isAgents(of) && t("subagent"),
    ),
    tooltip: [
      touchName(of, t),
      where === "" ? "" : t("Session: {0}", where),
      of.tokens > 0 ? t("{0} tokens", of.tokens) : "",
      of.number === null ? "" : t("Kept in the archive as {0}", of.number),
    ],
    icon: touchIcons[of.kind],
    context: of.number === null ? "touch" : "touch.kept",
    ...turnOf(of, on),
  };
}

function turnOf(of: FileTouch, on: Here): { open?: Target } {
  if (of.turn === null || !isAgents(of)) return {};
  return { open: documentOf(on, "turn", of.session, of.turn) };
}

const touchIcons: Record<FileTouch["kind"], string> = {
  read: "eye",
  wrote: "edit",
  edited: "edit",
  opened: "account",
  saved: "account",
};

/* The person is a reader of their own (N8). */
function isAgents(of: FileTouch): boolean {
  return of.kind !== "opened" && of.kind !== "saved";
}

function touchName(of: FileTouch, t: Translate): string {
  const who = agentName(of.agent);
  switch (of.kind) {
    case "read":
      if (of.first <= 0) return t("{0} read it", who);
      return of.total > 0 && of.first === 1 && of.last >= of.total
        ? t("{0} read all {1} lines", who, of.total)
        : t("{0} read lines {1}–{2}", who, of.first, of.last);
    case "wrote":
      return t("{0} wrote it", who);
    case "edited":
      return t("{0} edited it", who);
    case "opened":
      return t("You opened it");
    case "saved":
      return t("You saved it");
  }
}

/** An agent's name as its maker writes it. */
export function agentName(agent: string): string {
  const names: Partial<Record<string, string>> = {
    "claude-code": "Claude",
    codex: "Codex",
    gemini: "Gemini",
    opencode: "opencode",
    copilot: "Copilot",
    "vscode-copilot": "Copilot",
    cursor: "Cursor",
  };
  return names[agent] ?? clean(agent, 40);
}

function openFile(path: string): Target {
  return { kind: "file", path, line: null };
}

function parted(path: string): [folder: string, name: string] {
  const end = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  return end < 0 ? ["", path] : [path.slice(0, end), path.slice(end + 1)];
}
