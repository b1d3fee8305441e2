/** Small questions to a person, and doing one thing to many rows. */
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";

import type { Ibid } from "../context";
import { noLinks } from "../labels";
import type * as wire from "../protocol";

export function icon(name: string): vscode.ThemeIcon {
  return new vscode.ThemeIcon(name);
}

/** Asks for a line of text; undefined if the person thinks better of it. */
export async function text(prompt: string, value: string, mayBeEmpty = false): Promise<string | undefined> {
  return vscode.window.showInputBox({
    prompt,
    value,
    ignoreFocusOut: true,
    validateInput: (now) =>
      mayBeEmpty || now.trim() !== "" ? undefined : vscode.l10n.t("It needs some words."),
  });
}

/**
 * Does one thing to each value, in order; the first failure ends it.
 *
 * With many, progress shows and can be cancelled between two of them.
 */
export async function eachOf<T>(
  ibid: Ibid,
  values: readonly T[],
  act: (value: T) => Promise<unknown>,
): Promise<void> {
  if (values.length <= 5) {
    for (const value of values) await act(value);
  } else {
    await withProgress(values, act);
  }
  ibid.touched(["candidates", "notes"]);
}

async function withProgress<T>(values: readonly T[], act: (value: T) => Promise<unknown>): Promise<void> {
  const where = { location: vscode.ProgressLocation.Notification, title: "Ibid", cancellable: true };
  await vscode.window.withProgress(where, async (progress, token) => {
    for (const [at, value] of values.entries()) {
      if (token.isCancellationRequested) return;
      await act(value);
      progress.report({ increment: 100 / values.length, message: `${at + 1} / ${values.length}` });
    }
  });
}

/** Runs a long request under a progress that tells what the server tells, and cancels it. */
export async function followed<T>(
  ibid: Ibid,
  title: string,
  ask: (workDoneToken: string, token: vscode.CancellationToken) => Promise<T>,
): Promise<T> {
  const where = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return vscode.window.withProgress(where, async (progress, token) => {
    const workDoneToken = `ibid-${randomUUID()}`;
    let shown = 0;
    const following = ibid.onProgress(workDoneToken, (message, percentage) => {
      const increment = percentage === undefined ? 0 : Math.max(0, percentage - shown);
      shown += increment;
      progress.report({ increment, ...(message === undefined ? {} : { message: noLinks(message, 120) }) });
    });
    try {
      return await ask(workDoneToken, token);
    } finally {
      following.dispose();
    }
  });
}

const categories: readonly wire.Category[] = ["constraint", "preference", "decision", "fact"];

/** Asks what kind of thing a new note is; undefined if cancelled. */
export async function askCategory(words: Record<string, string>): Promise<wire.Category | undefined> {
  const items = categories.map((category) => ({ label: words[category] ?? category, category }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("What kind of note is it?"),
    ignoreFocusOut: true,
  });
  return picked?.category;
}
