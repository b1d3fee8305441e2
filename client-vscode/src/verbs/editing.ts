/** What begins in an editor: notes on this code, a new note, remember the selection. */
import * as vscode from "vscode";

import type { Parts, Verbs } from "../commands";
import type { Ibid } from "../context";
import { openTarget } from "../documents";
import { offer } from "../guard";
import { cleanLines, noIcons, noLinks } from "../labels";
import * as wire from "../protocol";
import { categoryIcon, categoryName, documentUri, noteRow, type Target } from "../rows";
import { here } from "../views/tree";
import { askCategory, icon, text } from "./asking";

/** What a lens or hover says it is about. */
interface About {
  readonly project?: string;
  readonly ids?: readonly string[];
  readonly uri?: string;
}

export function editingVerbs({ ibid }: Parts): Verbs {
  return {
    "ibid.openDocument": (target: Target) => openTarget(ibid, target),
    "ibid.openNotes": (about?: About) =>
      Array.isArray(about?.ids) ? openNotes(ibid, about) : vscode.commands.executeCommand("ibid.notes.focus"),
    "ibid.addNote": async () => {
      const words = await text(vscode.l10n.t("What is to be remembered?"), "");
      if (words !== undefined) await add(ibid, { text: words.trim() });
    },
    "ibid.rememberSelection": () => rememberSelection(ibid),
  };
}

/* One note opens at once; of several a person picks. */
async function openNotes(ibid: Ibid, about: About): Promise<void> {
  const ids = (about.ids ?? []).filter((id) => typeof id === "string");
  const open = (id: string): Promise<void> =>
    openTarget(ibid, { kind: "document", uri: documentUri("note", [id], ibid.elsewhere(about.project)) });
  if (ids.length === 1 && ids[0] !== undefined) return open(ids[0]);
  const notes = await named(ibid, ids, about);
  const on = here(ibid);
  const items = ids.map((id) => {
    const note = notes.get(id);
    return note === undefined
      ? { label: noIcons(id), description: "", iconPath: icon("note"), id }
      : {
          label: noIcons(note.text, 200),
          description: noteRow(note, on).description ?? "",
          iconPath: icon(note.pinned ? "pinned" : categoryIcon(note.category)),
          id,
        };
  });
  const picked = await vscode.window.showQuickPick(items, { title: vscode.l10n.t("Notes on this code") });
  if (picked !== undefined) await open(picked.id);
}

async function named(ibid: Ibid, ids: readonly string[], about: About): Promise<Map<string, wire.Note>> {
  const path = about.uri === undefined ? undefined : vscode.Uri.parse(about.uri).fsPath;
  const project = about.project === undefined ? {} : { project: about.project };
  const where = path === undefined ? {} : { path };
  const { notes } = await ibid.ask(wire.note.list, { ...project, ...where, limit: 500 });
  return new Map(notes.filter((note) => ids.includes(note.id)).map((note) => [note.id, note]));
}

async function rememberSelection(ibid: Ibid): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.uri.scheme !== "file") {
    void vscode.window.showInformationMessage(vscode.l10n.t("Open a file first: the note will be shown on it."));
    return;
  }
  const { document, selection } = editor;
  const selected = cleanLines(document.getText(selection)).trim().replace(/\s+/g, " ");
  const symbol = await symbolAt(document.uri, selection.active);
  const place = symbol ?? vscode.workspace.asRelativePath(document.uri);
  const words = await text(vscode.l10n.t("What is to be remembered about {0}?", place), selected.slice(0, 360));
  if (words === undefined) return;
  await add(ibid, {
    text: words.trim(),
    path: document.uri.fsPath,
    ...(symbol === undefined ? {} : { symbol }),
  });
}

/** The innermost function, method or class around a position, dotted as `Class.method`. */
async function symbolAt(uri: vscode.Uri, at: vscode.Position): Promise<string | undefined> {
  const found = await vscode.commands.executeCommand<vscode.DocumentSymbol[] | undefined>(
    "vscode.executeDocumentSymbolProvider",
    uri,
  );
  const path: string[] = [];
  let level: readonly vscode.DocumentSymbol[] = found ?? [];
  for (;;) {
    const inner = level.find((one) => one.range.contains(at) && nameable.has(one.kind));
    if (inner === undefined) return path.length === 0 ? undefined : path.join(".");
    path.push(inner.name);
    level = inner.children;
  }
}

const nameable = new Set([
  vscode.SymbolKind.Class,
  vscode.SymbolKind.Struct,
  vscode.SymbolKind.Interface,
  vscode.SymbolKind.Enum,
  vscode.SymbolKind.Module,
  vscode.SymbolKind.Namespace,
  vscode.SymbolKind.Function,
  vscode.SymbolKind.Method,
  vscode.SymbolKind.Constructor,
]);

async function add(ibid: Ibid, what: { text: string; path?: string; symbol?: string }): Promise<void> {
  const { t } = here(ibid);
  const category = await askCategory({
    constraint: categoryName("constraint", t),
    preference: categoryName("preference", t),
    decision: categoryName("decision", t),
    fact: categoryName("fact", t),
  });
  if (category === undefined) return;
  const note = await ibid.ask(wire.note.add, { ...what, category });
  ibid.touched(["notes"]);
  const open = vscode.l10n.t("Open");
  const said = vscode.l10n.t("Remembered: “{0}”", noLinks(note.text, 80));
  offer(ibid, said, open, () =>
    openTarget(ibid, { kind: "document", uri: documentUri("note", [note.id], ibid.otherProject) }),
  );
}
