/** The server and the window: install, restart, log, state, project. */
import * as vscode from "vscode";

import type { Parts, Verbs } from "../commands";
import { clean, noIcons, noLinks } from "../labels";
import * as wire from "../protocol";
import { stateName } from "../status";
import type { Tree } from "../views/tree";
import { icon } from "./asking";

export function serverVerbs(parts: Parts): Verbs {
  const { ibid } = parts;
  return {
    "ibid.restartServer": () => restart(parts),
    "ibid.showLog": () => {
      ibid.log.show();
    },
    "ibid.showStatus": () => showStatus(parts),
    "ibid.installServer": () => install(parts),
    "ibid.switchProject": () => switchProject(parts),
    "ibid.verifyStore": () => verifyStore(parts),
    "ibid.refreshViews": () => {
      ibid.touched(["notes", "candidates", "receipts", "turns", "policy"]);
    },
    "ibid.loadMore": (id: string) => {
      return treesOf(parts).find((tree) => tree.id === id)?.more();
    },
  };
}

function treesOf(parts: Parts): Pick<Tree<unknown>, "id" | "more" | "clear">[] {
  const { queue, notes, receipts, sessions, net, archive, reads } = parts;
  return [queue, notes, receipts, sessions, net, archive, reads];
}

async function restart({ ibid }: Parts): Promise<void> {
  const where = { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Restarting Ibid's server") };
  await vscode.window.withProgress(where, () => ibid.restart());
  await ibid.ready();
}

/** Shows the install command and runs exactly that if the person says so. */
async function install({ ibid }: Parts): Promise<void> {
  const command = ibid.install === "" ? "pip install ibid-memory" : ibid.install;
  const run = vscode.l10n.t("Run in a terminal");
  const copy = vscode.l10n.t("Copy");
  const settings = vscode.l10n.t("Set its path");
  const reason = ibid.health === "missing" ? ibid.reason : "";
  const said = vscode.l10n.t("{0} This installs it: {1}", reason, command).trim();
  const picked = await vscode.window.showWarningMessage(noLinks(said, 300), run, copy, settings);
  if (picked === copy) await vscode.env.clipboard.writeText(command);
  if (picked === settings) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "ibid.server.path");
  }
  if (picked === run) runInTerminal(command, () => void ibid.restart());
}

/* The server is looked for again when the command is over, or the terminal closed. */
function runInTerminal(command: string, over: () => void): void {
  const terminal = vscode.window.createTerminal({ name: vscode.l10n.t("Install Ibid") });
  terminal.show();
  terminal.sendText(command, true);
  const watching = vscode.Disposable.from(
    vscode.window.onDidEndTerminalShellExecution((event) => {
      if (event.terminal === terminal) over();
    }),
    vscode.window.onDidCloseTerminal((closed) => {
      if (closed !== terminal) return;
      watching.dispose();
      over();
    }),
  );
}

interface Action extends vscode.QuickPickItem {
  readonly command?: string;
}

async function showStatus({ ibid, statusBar }: Parts): Promise<void> {
  const status = statusBar.last;
  const action = (command: string, name: string, label: string, description = ""): Action => ({
    command,
    label,
    description,
    iconPath: icon(name),
  });
  const running = ibid.health === "running" || ibid.health === "slow";
  const about: Action[] = [
    ...(ibid.health === "missing" ? [action("ibid.installServer", "desktop-download", vscode.l10n.t("Install the server …"))] : []),
    ...(running ? memoryActions(action, status) : []),
    { label: "", kind: vscode.QuickPickItemKind.Separator },
    action("ibid.restartServer", "debug-restart", vscode.l10n.t("Restart the server"), ibid.health === "dead" ? clean(ibid.reason, 120) : ""),
    action("ibid.doctor", "pulse", vscode.l10n.t("Ask the doctor")),
    action("ibid.showLog", "output", vscode.l10n.t("Show the log")),
  ];
  const title = status === undefined ? "Ibid" : `Ibid · ${noIcons(status.name, 60)} · ${stateName(status.state)}`;
  const placeHolder = clean(status?.message ?? (running ? "" : ibid.reason), 200);
  const picked = await vscode.window.showQuickPick(about, { title, placeHolder });
  if (picked?.command !== undefined) await vscode.commands.executeCommand(picked.command);
}

function memoryActions(
  action: (command: string, name: string, label: string, description?: string) => Action,
  status: wire.Status | undefined,
): Action[] {
  const count = (n: number | undefined): string => (n === undefined ? "" : String(n));
  return [
    action("ibid.queue.focus", "inbox", vscode.l10n.t("Review queue"), count(status?.candidates)),
    action("ibid.notes.focus", "note", vscode.l10n.t("Notes"), count(status?.notes)),
    action("ibid.receipts.focus", "quote", vscode.l10n.t("Memory used"), count(status?.receipts)),
    action("ibid.reads.focus", "eye", vscode.l10n.t("What agents have read")),
    action("ibid.openNet", "graph", vscode.l10n.t("Net of cost and saving")),
    action("ibid.sessions.focus", "comment-discussion", vscode.l10n.t("Sessions"), count(status?.sessions)),
    { label: "", kind: vscode.QuickPickItemKind.Separator },
    action("ibid.search", "search", vscode.l10n.t("Search memory …")),
    action("ibid.searchArchive", "archive", vscode.l10n.t("Search the archive …")),
    action("ibid.addNote", "add", vscode.l10n.t("Add a note …")),
    action("ibid.togglePolicy", "settings", vscode.l10n.t("Memory switches …")),
    action("ibid.importSessions", "cloud-download", vscode.l10n.t("Import sessions")),
  ];
}

async function switchProject(parts: Parts): Promise<void> {
  const folder = await vscode.window.showWorkspaceFolderPick({
    placeHolder: vscode.l10n.t("Whose memory is to be shown?"),
  });
  if (folder === undefined) return;
  for (const tree of treesOf(parts)) tree.clear();
  parts.ibid.choose(folder);
  parts.statusBar.refresh();
}

async function verifyStore({ ibid }: Parts): Promise<void> {
  const where = { location: vscode.ProgressLocation.Notification, title: vscode.l10n.t("Checking the store") };
  const found = await vscode.window.withProgress(where, () => ibid.ask(wire.verify, {}, { patient: true }));
  if (found.ok) {
    void vscode.window.showInformationMessage(vscode.l10n.t("The store is sound."));
    return;
  }
  for (const problem of found.problems) {
    ibid.log.warn(`${problem.what} (${problem.where}): ${problem.next}`);
  }
  const first = found.problems[0];
  const said = vscode.l10n.t("The store has {0} problems. {1} {2}", found.problems.length, first?.what ?? "", first?.next ?? "");
  const log = vscode.l10n.t("Show log");
  if ((await vscode.window.showWarningMessage(noLinks(said, 400), log)) === log) ibid.log.show();
}
