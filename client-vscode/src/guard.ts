/** Turns whatever goes wrong in a command into one sentence with a way on. */
import * as vscode from "vscode";

import { ServerDown, type Ibid } from "./context";
import { noLinks } from "./labels";
import * as wire from "./protocol";

/** Runs a command; a failure is told once, and a slow server while it is slow. */
export async function guard(ibid: Ibid, run: () => unknown): Promise<unknown> {
  const slow = ibid.onDidChangeHealth((health) => {
    if (health === "slow") void tellSlow(ibid);
  });
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof vscode.CancellationError)) void tell(ibid, error);
    return undefined;
  } finally {
    slow.dispose();
  }
}

async function tell(ibid: Ibid, error: unknown): Promise<void> {
  if (error instanceof ServerDown) return tellDown(ibid, error);
  const message = error instanceof Error ? error.message : String(error);
  ibid.log.warn(message);
  const code = wire.errorCode(error);
  if (code === "conflict" || code === "notFound" || code === "gone") {
    void vscode.commands.executeCommand("ibid.refreshViews");
  }
  const log = vscode.l10n.t("Show log");
  const picked = await vscode.window.showErrorMessage(noLinks(message, 500), ...(code === undefined ? [log] : []));
  if (picked === log) ibid.log.show();
}

async function tellDown(ibid: Ibid, down: ServerDown): Promise<void> {
  if (down.health === "missing") {
    await vscode.commands.executeCommand("ibid.installServer");
    return;
  }
  if (down.health === "none") {
    void vscode.window.showInformationMessage(vscode.l10n.t("Open a folder first: memory belongs to a project."));
    return;
  }
  const restart = vscode.l10n.t("Restart");
  const log = vscode.l10n.t("Show log");
  const said = vscode.l10n.t("Ibid's server is not running. {0}", down.message);
  const picked = await vscode.window.showErrorMessage(noLinks(said, 500), restart, log);
  if (picked === restart) await vscode.commands.executeCommand("ibid.restartServer");
  if (picked === log) ibid.log.show();
}

async function tellSlow(ibid: Ibid): Promise<void> {
  const restart = vscode.l10n.t("Restart");
  const log = vscode.l10n.t("Show log");
  const picked = await vscode.window.showWarningMessage(
    vscode.l10n.t("Ibid's server has not answered for some seconds. It may be busy; you can wait."),
    restart,
    log,
  );
  if (picked === restart) await vscode.commands.executeCommand("ibid.restartServer");
  if (picked === log) ibid.log.show();
}

/**
 * Says that something is done and offers one more thing, an undo for instance.
 *
 * Does not wait: the command is over, the button may be clicked much later.
 */
export function offer(ibid: Ibid, said: string, label: string, act: () => Promise<unknown>): void {
  void guard(ibid, async () => {
    if ((await vscode.window.showInformationMessage(said, label)) === label) await act();
  });
}
