/** Ibid in VS Code: registers everything at once, then starts the server. */
import * as vscode from "vscode";

import { registerCommands } from "./commands";
import { Ibid } from "./context";
import { CurrentFile } from "./current";
import { asMarkdown } from "./documents";
import { Tools } from "./mcp";
import { Pages } from "./pages";
import type * as wire from "./protocol";
import { StatusBar } from "./status";
import { Archive } from "./views/archive";
import { createNet } from "./views/net";
import { NetPage } from "./views/netpage";
import { Notes } from "./views/notes";
import { Queue } from "./views/queue";
import { createReads } from "./views/reads";
import { createReceipts } from "./views/receipts";
import { createSessions } from "./views/sessions";

let running: Ibid | undefined;

/* Nothing is awaited: a command of the palette must exist when this returns. */
export function activate(extension: vscode.ExtensionContext): void {
  const ibid = new Ibid(extension);
  running = ibid;
  const current = new CurrentFile(ibid);
  const statusBar = new StatusBar(ibid, current);
  const queue = new Queue(ibid);
  const notes = new Notes(ibid);
  const receipts = createReceipts(ibid);
  const sessions = createSessions(ibid);
  const net = createNet(ibid);
  const netPage = new NetPage(ibid, extension.extensionUri);
  const pages = new Pages();
  const archive = new Archive(ibid);
  const reads = createReads(ibid, current);
  extension.subscriptions.push(
    ibid,
    current,
    statusBar,
    queue,
    notes,
    receipts,
    sessions,
    net,
    netPage,
    pages,
    archive,
    reads,
    new Tools(ibid, extension.globalStorageUri),
    registerCommands({ ibid, current, statusBar, queue, notes, receipts, sessions, net, netPage, pages, archive, reads }),
    statusBar.onDidArrive((status) => {
      showBadge(queue, status);
    }),
    vscode.workspace.onDidOpenTextDocument(asMarkdown),
  );
  void ibid.restart();
}

export async function deactivate(): Promise<void> {
  await running?.shutDown();
  running = undefined;
}

function showBadge(queue: Queue, { candidates }: wire.Status): void {
  const tooltip = vscode.l10n.t("{0} to review", candidates);
  queue.view.badge = candidates === 0 ? undefined : { value: candidates, tooltip };
}
