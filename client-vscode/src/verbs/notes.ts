/** What a person does with notes there are: correct, pin, forget, restore, delete, ask. */
import * as vscode from "vscode";

import type { Parts, Verbs } from "../commands";
import { openTarget } from "../documents";
import { offer } from "../guard";
import { clean, noIcons, noLinks } from "../labels";
import * as wire from "../protocol";
import { categoryIcon, documentUri, noteRow, receiptRow, saidIn } from "../rows";
import { viewName } from "../views/notes";
import { chosen, here } from "../views/tree";
import { eachOf, icon, text } from "./asking";

/** What a note command needs to know; a link in a hover brings only the id. */
interface Chosen {
  readonly id: string;
  readonly text?: string;
  readonly version?: number;
}

export function noteVerbs(parts: Parts): Verbs {
  const { ibid } = parts;
  return {
    "ibid.correctNote": async (node?: unknown, nodes?: unknown) => {
      const [one] = await pick(parts, node, nodes);
      if (one !== undefined) await correct(parts, one);
    },
    "ibid.pinNote": async (node?: unknown, nodes?: unknown) => {
      const picked = await pick(parts, node, nodes);
      await eachOf(ibid, picked, (one) => ibid.ask(wire.note.pin, { id: one.id }));
    },
    "ibid.unpinNote": async (node?: unknown, nodes?: unknown) => {
      const picked = await pick(parts, node, nodes);
      await eachOf(ibid, picked, (one) => ibid.ask(wire.note.unpin, { id: one.id }));
    },
    "ibid.forgetNote": async (node?: unknown, nodes?: unknown) => {
      await forget(parts, await pick(parts, node, nodes));
    },
    "ibid.restoreNote": async (node?: unknown, nodes?: unknown) => {
      const picked = await pick(parts, node, nodes, "forgotten");
      await eachOf(ibid, picked, (one) => ibid.ask(wire.note.restore, { id: one.id }));
    },
    "ibid.deleteNote": async (node?: unknown, nodes?: unknown) => {
      await erase(parts, await pick(parts, node, nodes));
    },
    "ibid.showEvidence": async (node?: unknown, nodes?: unknown) => {
      const [one] = await pick(parts, node, nodes);
      if (one !== undefined) await showEvidence(parts, one);
    },
    "ibid.showUsage": async (node?: unknown, nodes?: unknown) => {
      const [one] = await pick(parts, node, nodes);
      if (one !== undefined) await showUsage(parts, one);
    },
    "ibid.filterNotes": () => filter(parts),
  };
}

async function correct({ ibid }: Parts, one: Chosen): Promise<void> {
  const now = await text(vscode.l10n.t("What is right instead?"), one.text ?? "");
  if (now === undefined || now === one.text) return;
  const version = one.version === undefined ? {} : { version: one.version };
  await ibid.ask(wire.note.correct, { id: one.id, text: now, ...version });
  ibid.touched(["notes"]);
}

async function forget({ ibid }: Parts, picked: readonly Chosen[]): Promise<void> {
  if (picked.length === 0) return;
  await eachOf(ibid, picked, (one) => ibid.ask(wire.note.forget, { id: one.id }));
  const undo = vscode.l10n.t("Undo");
  const first = picked[0]?.text;
  const said =
    picked.length === 1 && first !== undefined
      ? vscode.l10n.t("Forgotten: “{0}”", noLinks(first, 80))
      : vscode.l10n.t("Forgotten: {0}", picked.length);
  offer(ibid, said, undo, () =>
    eachOf(ibid, picked, (one) => ibid.ask(wire.note.restore, { id: one.id })),
  );
}

async function erase({ ibid }: Parts, picked: readonly Chosen[]): Promise<void> {
  if (picked.length === 0) return;
  const note = vscode.l10n.t("Delete");
  const said = vscode.l10n.t("Delete, and where it was said");
  const first = picked[0]?.text ?? picked[0]?.id ?? "";
  const question =
    picked.length === 1
      ? vscode.l10n.t("Delete this note for good?")
      : vscode.l10n.t("Delete {0} notes for good?", picked.length);
  const detail = [
    picked.length === 1 ? `“${clean(first, 200)}”` : "",
    vscode.l10n.t("Its text is erased from the store, from receipts and from backups. “And where it was said” also erases the messages it came from."),
  ];
  const options = { modal: true, detail: detail.filter((line) => line !== "").join("\n\n") };
  const answer = await vscode.window.showWarningMessage(question, options, note, said);
  if (answer === undefined) return;
  await eachOf(ibid, picked, (one) => ibid.ask(wire.note.delete, { id: one.id, said: answer === said }));
}

async function showEvidence({ ibid }: Parts, one: Chosen): Promise<void> {
  const { sources, history } = await ibid.ask(wire.note.evidence, { id: one.id });
  const on = here(ibid);
  const items = sources.map((source) => ({
    label: noIcons(saidIn(source, on)),
    detail: noIcons(source.text ?? vscode.l10n.t("(no longer kept)"), 300),
    iconPath: icon(source.available ? "comment" : "circle-slash"),
    uri: source.available ? documentUri("turn", [source.session, source.turn], on.project) : undefined,
  }));
  const wordings = history.map((old) => ({
    label: noIcons(old.text, 200),
    detail: noIcons(old.why, 200),
    iconPath: icon("history"),
    uri: documentUri("note", [one.id], on.project),
  }));
  const all = [...items, ...wordings];
  const title = vscode.l10n.t("Where it comes from");
  const placeHolder = all.length === 0 ? vscode.l10n.t("Written by hand; nothing else says it.") : "";
  const picked = await vscode.window.showQuickPick(all, { title, placeHolder, matchOnDetail: true });
  if (picked?.uri !== undefined) await openTarget(ibid, { kind: "document", uri: picked.uri });
}

async function showUsage({ ibid }: Parts, one: Chosen): Promise<void> {
  const { receipts } = await ibid.ask(wire.note.usage, { id: one.id });
  const on = here(ibid);
  const items = receipts.map((receipt) => {
    const row = receiptRow(receipt, on);
    return {
      label: noIcons(row.label),
      description: row.description ?? "",
      detail: noIcons(receipt.query ?? "", 200),
      iconPath: icon(row.icon ?? "quote"),
      uri: documentUri("receipt", [receipt.id], on.project),
    };
  });
  const title = vscode.l10n.t("Where it was used");
  const placeHolder = items.length === 0 ? vscode.l10n.t("Not recalled yet") : "";
  const picked = await vscode.window.showQuickPick(items, { title, placeHolder, matchOnDetail: true });
  if (picked !== undefined) await openTarget(ibid, { kind: "document", uri: picked.uri });
}

async function filter({ ibid, notes }: Parts): Promise<void> {
  const { counts } = await ibid.ask(wire.note.list, { limit: 1 });
  const words = { label: vscode.l10n.t("With words …"), iconPath: icon("search"), view: undefined };
  const views = wire.noteViews.map((view) => ({
    label: viewName(view),
    description: counts[view] === undefined ? "" : String(counts[view]),
    ...(notes.filter.view === view ? { iconPath: icon("check") } : { iconPath: icon("blank") }),
    view,
  }));
  const title = vscode.l10n.t("Which notes?");
  const picked = await vscode.window.showQuickPick([...views, words], { title });
  if (picked === undefined) return;
  if (picked.view !== undefined) {
    notes.filter = { view: picked.view, query: "" };
    return;
  }
  const query = await text(vscode.l10n.t("Show notes with these words (empty: all)"), notes.filter.query, true);
  if (query !== undefined) notes.filter = { view: notes.filter.view, query: query.trim() };
}

/* From a row it is that row, from a hover the id it names, else one out of a list. */
async function pick(
  parts: Parts,
  node: unknown,
  nodes: unknown,
  view: wire.NoteView = "all",
): Promise<Chosen[]> {
  const id = idOf(node);
  if (id !== undefined) return [await known(parts, id)];
  const given = chosen(parts.notes, node, nodes);
  if (given.length > 0) return given;
  const { notes } = await parts.ibid.ask(wire.note.list, { view, limit: 200 });
  if (notes.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t("There are no such notes yet."));
    return [];
  }
  const on = here(parts.ibid);
  const items = notes.map((one) => ({
    label: noIcons(one.text, 200),
    description: noteRow(one, on).description ?? "",
    iconPath: icon(categoryIcon(one.category)),
    one,
  }));
  const picked = await vscode.window.showQuickPick(items, { title: vscode.l10n.t("Notes") });
  return picked === undefined ? [] : [picked.one];
}

/** The id a link in a hover carries, as a string or in an object. */
export function idOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null || "row" in value) return undefined;
  const { id, ids } = value as { id?: unknown; ids?: unknown };
  if (typeof id === "string") return id;
  const first: unknown = Array.isArray(ids) ? ids[0] : undefined;
  return typeof first === "string" ? first : undefined;
}

/* The text of a note that is in the tree anyway; an id alone serves as well. */
function known({ notes }: Parts, id: string): Promise<Chosen> {
  return Promise.resolve(notes.values.find((note) => note.id === id) ?? { id });
}
