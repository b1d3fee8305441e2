/** Accept, edit, reject, snooze: what a person does with a candidate (C5). */
import * as vscode from "vscode";

import type { Parts, Verbs } from "../commands";
import { offer } from "../guard";
import type { Ibid } from "../context";
import { clean, noIcons, noLinks } from "../labels";
import * as wire from "../protocol";
import { candidateRow } from "../rows";
import { chosen, here } from "../views/tree";
import { eachOf, icon, text } from "./asking";
import { proposeInstructions } from "./handing";

export function queueVerbs(parts: Parts): Verbs {
  const { ibid, queue } = parts;
  return {
    "ibid.acceptCandidate": async (node?: unknown, nodes?: unknown) => {
      const picked = await pick(parts, node, nodes);
      await eachOf(ibid, picked, (one) => accept(ibid, one));
    },
    "ibid.pinCandidate": async (node?: unknown, nodes?: unknown) => {
      const picked = await pick(parts, node, nodes);
      await eachOf(ibid, picked, (one) => ibid.ask(wire.candidate.accept, { id: one.id, pinned: true }));
    },
    "ibid.editCandidate": async (node?: unknown, nodes?: unknown) => {
      const [one] = await pick(parts, node, nodes);
      if (one !== undefined) await edit(parts, one);
    },
    "ibid.rejectCandidate": async (node?: unknown, nodes?: unknown) => {
      await reject(parts, await pick(parts, node, nodes));
    },
    "ibid.snoozeCandidate": async (node?: unknown, nodes?: unknown) => {
      await snooze(parts, await pick(parts, node, nodes));
    },
    "ibid.filterQueue": async () => {
      const query = await text(vscode.l10n.t("Show candidates with these words (empty: all)"), queue.query, true);
      if (query !== undefined) queue.query = query.trim();
    },
  };
}

const proposal = "instructions:";

/* What proposes a change of an instruction file leads on to the preview of it (C6). */
async function accept(ibid: Ibid, one: wire.Candidate): Promise<void> {
  const note = await ibid.ask(wire.candidate.accept, { id: one.id });
  if (!one.signal.startsWith(proposal)) return;
  await proposeInstructions(ibid, [note.id], one.signal.slice(proposal.length));
}

async function edit({ ibid, queue }: Parts, one: wire.Candidate): Promise<void> {
  const words = await text(vscode.l10n.t("Edit what is to be remembered"), one.text);
  if (words === undefined || words === one.text) return;
  await ibid.ask(wire.candidate.edit, { id: one.id, text: words, version: one.version });
  queue.refresh();
}

async function reject({ ibid }: Parts, picked: readonly wire.Candidate[]): Promise<void> {
  if (picked.length === 0) return;
  await eachOf(ibid, picked, (one) => ibid.ask(wire.candidate.reject, { id: one.id }));
  const undo = vscode.l10n.t("Undo");
  const first = picked[0]?.text ?? "";
  const said =
    picked.length === 1
      ? vscode.l10n.t("Rejected: “{0}”", noLinks(first, 80))
      : vscode.l10n.t("Rejected {0} candidates", picked.length);
  offer(ibid, said, undo, () =>
    eachOf(ibid, picked, (one) => ibid.ask(wire.candidate.restore, { id: one.id })),
  );
}

async function snooze({ ibid }: Parts, picked: readonly wire.Candidate[]): Promise<void> {
  if (picked.length === 0) return;
  const choices = [
    { label: vscode.l10n.t("For a day"), iconPath: icon("calendar"), until: "day" as const },
    { label: vscode.l10n.t("Until the next session"), iconPath: icon("comment-discussion"), until: "session" as const },
  ];
  const choice = await vscode.window.showQuickPick(choices, { title: vscode.l10n.t("Snooze") });
  if (choice === undefined) return;
  await eachOf(ibid, picked, (one) => ibid.ask(wire.candidate.snooze, { id: one.id, until: choice.until }));
}

/* Called from a row it is that row; from the palette, one out of a list. */
async function pick(parts: Parts, node: unknown, nodes: unknown): Promise<wire.Candidate[]> {
  const { ibid, queue } = parts;
  const given = chosen(queue, node, nodes);
  if (given.length > 0) return given;
  const { candidates } = await ibid.ask(wire.candidate.list, { limit: 200 });
  if (candidates.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t("Nothing is waiting for review."));
    return [];
  }
  const picked = await vscode.window.showQuickPick(
    candidates.map((one) => ({
      label: noIcons(one.text, 200),
      description: candidateRow(one, here(ibid)).description ?? "",
      detail: noIcons(clean(one.source?.title ?? "")),
      one,
    })),
    { title: vscode.l10n.t("Review queue"), matchOnDetail: true },
  );
  return picked === undefined ? [] : [picked.one];
}
