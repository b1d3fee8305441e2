/** The notes of the project, through one of the server's views of them. */
import * as vscode from "vscode";

import type { Ibid } from "../context";
import { dotted } from "../labels";
import * as wire from "../protocol";
import { noteFacts, noteRow } from "../rows";
import { leaf, here, Tree, type Node } from "./tree";

/** The tree with the filter that is on it. */
export class Notes extends Tree<wire.Note> {
  #filter: { view: wire.NoteView; query: string } = { view: "all", query: "" };
  #sort: wire.NoteSort = "updated";
  counts: Partial<Record<wire.NoteView, number>> = {};

  constructor(ibid: Ibid) {
    super(ibid, {
      id: "ibid.notes",
      follows: ["notes"],
      fetch: async (offset, limit) => {
        const { view, query } = this.#filter;
        const sort = this.#sort === "updated" ? {} : { sort: this.#sort };
        const params = { view, offset, limit, ...sort, ...(query === "" ? {} : { query }) };
        const page = await ibid.ask(wire.note.list, params);
        this.counts = page.counts;
        return { rows: page.notes, total: page.total };
      },
      arrange: (values) => values.map((value) => node(ibid, value)),
    });
    this.#show();
  }

  get filter(): { readonly view: wire.NoteView; readonly query: string } {
    return this.#filter;
  }

  set filter(filter: { view: wire.NoteView; query: string }) {
    this.#filter = filter;
    this.#show();
    this.clear();
  }

  get sort(): wire.NoteSort {
    return this.#sort;
  }

  set sort(sort: wire.NoteSort) {
    this.#sort = sort;
    this.#show();
    this.clear();
  }

  #show(): void {
    const { view, query } = this.#filter;
    const sort = this.#sort === "updated" ? "" : sortName(this.#sort);
    this.view.description = dotted(view === "all" ? "" : viewName(view), query, sort);
    const plain = view === "all" && query === "";
    void vscode.commands.executeCommand("setContext", "ibid.notes.view", plain ? "all" : "filtered");
  }
}

function node(ibid: Ibid, value: wire.Note): Node<wire.Note> {
  return {
    row: noteRow(value, here(ibid)),
    value,
    children: () => noteFacts(value, here(ibid)).map(leaf),
  };
}

export function sortName(sort: wire.NoteSort): string {
  return {
    updated: vscode.l10n.t("Last changed first"),
    created: vscode.l10n.t("Newest first"),
    used: vscode.l10n.t("Last recalled first"),
    uses: vscode.l10n.t("Most recalled first"),
  }[sort];
}

export function viewName(view: wire.NoteView): string {
  return {
    all: vscode.l10n.t("All notes"),
    pinned: vscode.l10n.t("Pinned"),
    rules: vscode.l10n.t("Constraints and preferences"),
    facts: vscode.l10n.t("Facts and decisions"),
    episodes: vscode.l10n.t("Episodes"),
    recent: vscode.l10n.t("Recently used"),
    forgotten: vscode.l10n.t("Forgotten"),
    superseded: vscode.l10n.t("Superseded by corrections"),
    attention: vscode.l10n.t("Needs attention"),
  }[view];
}
