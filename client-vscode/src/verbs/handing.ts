/** What leaves the store by a person's act: handoffs, shared notes, instruction files (C6, O1, O2). */
import * as vscode from "vscode";

import type { Parts, Verbs } from "../commands";
import type { Ibid } from "../context";
import { openTarget } from "../documents";
import { offer } from "../guard";
import { clean, noLinks } from "../labels";
import * as wire from "../protocol";
import { documentUri } from "../rows";
import { chosen } from "../views/tree";
import { icon } from "./asking";

export function handingVerbs(parts: Parts): Verbs {
  const { ibid } = parts;
  return {
    "ibid.showHandoff": async (node?: unknown, nodes?: unknown) => {
      // The latest one's session is asked for, since a document is named by its address.
      const session = sessionOf(parts, node, nodes) ?? (await ibid.ask(wire.handoff.preview, {})).session;
      await openTarget(ibid, { kind: "document", uri: documentUri("handoff", [session], ibid.otherProject) });
    },
    "ibid.writeHandoff": async (node?: unknown, nodes?: unknown) => {
      await writeHandoff(ibid, sessionOf(parts, node, nodes));
    },
    "ibid.shareNotes": () => shareNotes(ibid),
    "ibid.proposeInstructions": async (node?: unknown, nodes?: unknown) => {
      const notes = chosen(parts.notes, node, nodes).filter((note) => note.state === "active");
      await proposeInstructions(ibid, notes.map((note) => note.id));
    },
  };
}

/* Only from a row: from the palette, the latest session's is meant. */
function sessionOf({ sessions }: Parts, node: unknown, nodes: unknown): string | undefined {
  return node === undefined ? undefined : chosen(sessions, node, nodes)[0]?.session;
}

async function writeHandoff(ibid: Ibid, session: string | undefined): Promise<void> {
  const made = await ibid.ask(wire.handoff.write, session === undefined ? {} : { session });
  const { path } = made;
  if (path === null) return;
  const said = vscode.l10n.t("Written: {0} ({1} tokens)", noLinks(path), made.tokens);
  offer(ibid, said, vscode.l10n.t("Open"), () => openTarget(ibid, { kind: "file", path, line: null }));
}

async function shareNotes(ibid: Ibid): Promise<void> {
  const items = [
    { label: vscode.l10n.t("Share with the team"), detail: vscode.l10n.t("Git sees the note files below .ibid; commit them as you like"), iconPath: icon("organization"), on: true },
    { label: vscode.l10n.t("Keep to yourself"), detail: vscode.l10n.t("Git overlooks them; what is committed already stays"), iconPath: icon("lock"), on: false },
  ];
  const picked = await vscode.window.showQuickPick(items, { title: vscode.l10n.t("Who may have the note files?") });
  if (picked === undefined) return;
  const { folders } = await ibid.ask(wire.note.share, { on: picked.on });
  const where = noLinks(folders.join(", "));
  const said = picked.on ? vscode.l10n.t("Git now sees {0}.", where) : vscode.l10n.t("Git now overlooks {0}.", where);
  void vscode.window.showInformationMessage(said);
}

const files = ["CLAUDE.md", "AGENTS.md", "GEMINI.md", ".github/copilot-instructions.md"];

/**
 * Shows how an instruction file would change and lets the person apply it.
 *
 * Nothing is written without the editor's own preview being confirmed (C6).
 */
export async function proposeInstructions(ibid: Ibid, notes: readonly string[], file?: string): Promise<void> {
  if (notes.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t("Select notes in the Notes view first."));
    return;
  }
  const title = vscode.l10n.t("Into which file? Agents load it whole into every session.");
  const path = file ?? (await vscode.window.showQuickPick(files, { title }));
  if (path === undefined) return;
  const made = await ibid.ask(wire.instructions.preview, { file: path, notes: [...notes] });
  if (made.before === made.after) {
    void vscode.window.showInformationMessage(vscode.l10n.t("{0} says so already.", clean(made.path)));
    return;
  }
  const edit = await ibid.toEdit(made.edit);
  await vscode.workspace.applyEdit(edit, { isRefactoring: true });
}
