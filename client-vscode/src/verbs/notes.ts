/** What a person does with notes there are: correct, pin, forget, restore, delete, ask. */
import * as vscode from "vscode";

import type { Parts, Verbs } from "../commands";
import { openTarget } from "../documents";
import { offer } from "../guard";
import { clean, noIcons, noLinks } from "../labels";
import * as wire from "../protocol";
import { receiptRow } from "../records";
import { categoryIcon, documentUri, noteRow, saidIn } from "../rows";
import { sortName, viewName } from "../views/notes";
import { chosen, here } from "../views/tree";
import { eachOf, icon, text } from "./asking";

/** What a note command needs to know; a link in a hover brings only the id. */
interface Chosen {
  readonly id: string;
  readonly text?: string;
  readonly version?: number;
  readonly file?: string | null;
  /** Set by a link in a file of another project than the shown one. */
  readonly project?: string;
}

/* Whose note it is, for the request. */
function its(one: Chosen): { id: string; project?: string } {
  return one.project === undefined ? { id: one.id } : { id: one.id, project: one.project };
}

export function noteVerbs(parts: Parts): Verbs {
  const { ibid } = parts;
  return {
    "ibid.correctNote": async (node?: unknown, nodes?: unknown) => {
      const [one] = await pick(parts, node, nodes);
      if (one !== undefined) await correct(parts, one);
    },
    "ibid.confirmNote": async (node?: unknown, nodes?: unknown) => {
      const picked = await pick(parts, node, nodes, "attention");
      await eachOf(ibid, picked, (one) => ibid.ask(wire.note.confirm, its(one)));
    },
    "ibid.pinNote": async (node?: unknown, nodes?: unknown) => {
      const picked = await pick(parts, node, nodes);
      await eachOf(ibid, picked, (one) => ibid.ask(wire.note.pin, its(one)));
    },
    "ibid.unpinNote": async (node?: unknown, nodes?: unknown) => {
      const picked = await pick(parts, node, nodes);
      await eachOf(ibid, picked, (one) => ibid.ask(wire.note.unpin, its(one)));
    },
    "ibid.forgetNote": async (node?: unknown, nodes?: unknown) => {
      await forget(parts, await pick(parts, node, nodes));
    },
    "ibid.restoreNote": async (node?: unknown, nodes?: unknown) => {
      const picked = await pick(parts, node, nodes, "forgotten");
      await eachOf(ibid, picked, (one) => ibid.ask(wire.note.restore, its(one)));
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
  await ibid.ask(wire.note.correct, { ...its(one), text: now, ...version });
  ibid.touched(["notes"]);
}

async function forget({ ibid }: Parts, picked: readonly Chosen[]): Promise<void> {
  if (picked.length === 0) return;
  await eachOf(ibid, picked, (one) => ibid.ask(wire.note.forget, its(one)));
  const undo = vscode.l10n.t("Undo");
  const first = picked[0]?.text;
  const said =
    picked.length === 1 && first !== undefined
      ? vscode.l10n.t("Forgotten: “{0}”", noLinks(first, 80))
      : vscode.l10n.t("Forgotten: {0}", picked.length);
  offer(ibid, said, undo, () =>
    eachOf(ibid, picked, (one) => ibid.ask(wire.note.restore, its(one))),
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
  const file = picked.some((one) => (one.file ?? "") !== "") && (await askFileToo(picked.length));
  if (file === undefined) return;
  await eachOf(ibid, picked, (one) => ibid.ask(wire.note.delete, { ...its(one), said: answer === said, file }));
}

/* A note with a file lives in it: what is kept there is read again. */
async function askFileToo(count: number): Promise<boolean | undefined> {
  const yes = vscode.l10n.t("Delete the file too");
  const no = vscode.l10n.t("Keep the file");
  const question =
    count === 1 ? vscode.l10n.t("This note has a file in the workspace.") : vscode.l10n.t("Some of these notes have files in the workspace.");
  const answer = await vscode.window.showWarningMessage(question, { modal: true }, yes, no);
  return answer === undefined ? undefined : answer === yes;
}

async function showEvidence(parts: Parts, one: Chosen, reveal = false): Promise<void> {
  const { ibid } = parts;
  const { sources, history } = await ibid.ask(wire.note.evidence, { ...its(one), reveal });
  const on = here(ibid);
  const where = one.project === undefined ? on.project : ibid.elsewhere(one.project);
  const items = sources.map((source) => ({
    label: noIcons(saidIn(source, on)),
    detail: noIcons(source.text ?? vscode.l10n.t("(no longer kept)"), 300),
    iconPath: icon(source.available ? "comment" : "circle-slash"),
    uri: source.available ? documentUri("turn", [source.session, source.turn], where) : undefined,
    reveals: false,
  }));
  const wordings = history.map((old) => ({
    label: noIcons(old.text, 200),
    detail: noIcons(old.why, 200),
    iconPath: icon("history"),
    uri: documentUri("note", [one.id], where),
    reveals: false,
  }));
  const masked = !reveal && sources.some((source) => (source.text ?? "").includes("[redacted:"));
  const eye = { label: vscode.l10n.t("Reveal what is masked"), detail: "", iconPath: icon("eye"), uri: undefined, reveals: true };
  const all = [...items, ...wordings, ...(masked ? [eye] : [])];
  if (all.length === 0) {
    // Written by hand: the note is its own evidence.
    await openTarget(ibid, { kind: "document", uri: documentUri("note", [one.id], where) });
    return;
  }
  const title = vscode.l10n.t("Where it comes from");
  const picked = await vscode.window.showQuickPick(all, { title, matchOnDetail: true });
  if (picked?.reveals === true) await showEvidence(parts, one, true);
  else if (picked?.uri !== undefined) await openTarget(ibid, { kind: "document", uri: picked.uri });
}

async function showUsage({ ibid }: Parts, one: Chosen): Promise<void> {
  const { receipts } = await ibid.ask(wire.note.usage, its(one));
  const on = here(ibid);
  const where = one.project === undefined ? on.project : ibid.elsewhere(one.project);
  const items = receipts.map((receipt) => {
    const row = receiptRow(receipt, on);
    return {
      label: noIcons(row.label),
      description: row.description ?? "",
      detail: noIcons(receipt.query ?? "", 200),
      iconPath: icon(row.icon ?? "quote"),
      uri: documentUri("receipt", [receipt.id], where),
    };
  });
  const title = vscode.l10n.t("Where it was used");
  if (items.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t("Not recalled yet"));
    return;
  }
  const picked = await vscode.window.showQuickPick(items, { title, matchOnDetail: true });
  if (picked !== undefined) await openTarget(ibid, { kind: "document", uri: picked.uri });
}

async function filter({ ibid, notes }: Parts): Promise<void> {
  const { counts } = await ibid.ask(wire.note.list, { limit: 1 });
  const words = { label: vscode.l10n.t("With words …"), iconPath: icon("search"), view: undefined, sort: undefined };
  const views = wire.noteViews.map((view) => ({
    label: viewName(view),
    description: counts[view] === undefined ? "" : String(counts[view]),
    ...(notes.filter.view === view ? { iconPath: icon("check") } : { iconPath: icon("blank") }),
    view,
    sort: undefined,
  }));
  const sorts = wire.noteSorts.map((sort) => ({
    label: sortName(sort),
    iconPath: icon(notes.sort === sort ? "check" : "blank"),
    view: undefined,
    sort,
  }));
  const line = { label: vscode.l10n.t("Order"), kind: vscode.QuickPickItemKind.Separator, view: undefined, sort: undefined };
  const title = vscode.l10n.t("Which notes?");
  const picked = await vscode.window.showQuickPick([...views, words, line, ...sorts], { title });
  if (picked === undefined) return;
  if (picked.sort !== undefined) {
    notes.sort = picked.sort;
    return;
  }
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
  const linked = fromLink(node);
  if (linked !== undefined) return [withText(parts, linked)];
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

/** The note a link in a hover names, as an id or as `{id, project}`. */
function fromLink(value: unknown): Chosen | undefined {
  if (typeof value === "string") return { id: value };
  if (typeof value !== "object" || value === null || "row" in value) return undefined;
  const { id, project } = value as { id?: unknown; project?: unknown };
  if (typeof id !== "string") return undefined;
  return typeof project === "string" ? { id, project } : { id };
}

/* Adds the words where the note is in the tree anyway; an id alone serves as well. */
function withText({ notes }: Parts, linked: Chosen): Chosen {
  const known = notes.values.find((note) => note.id === linked.id);
  return known === undefined ? linked : { ...linked, text: known.text, version: known.version };
}
