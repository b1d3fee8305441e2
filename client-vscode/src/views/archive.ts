/** The archive (M2): what agents saw word for word, as the last search found it. */
import * as vscode from "vscode";

import { archivedRow } from "../archived";
import type { Ibid } from "../context";
import { clean } from "../labels";
import * as wire from "../protocol";
import { here, Tree, type Shape } from "./tree";

/** The tree with the words it was asked for; without any it asks nothing. */
export class Archive extends Tree<wire.Hit> {
  #query = "";
  #reason = "";

  constructor(ibid: Ibid) {
    const shape: Shape<wire.Hit> = {
      id: "ibid.archive",
      follows: [],
      fetch: async (offset, limit) => {
        if (this.#query === "") return { rows: [], total: 0 };
        const page = await ibid.ask(wire.search, inArchive(this.#query, offset, limit));
        this.#reason = page.hits.length === 0 && offset === 0 ? (page.reason ?? "") : "";
        return { rows: page.hits, total: page.total };
      },
      arrange: (values) => values.map((value) => ({ row: archivedRow(value, here(ibid)), value })),
      remark: () => clean(this.#reason, 200),
    };
    super(ibid, shape);
  }

  get query(): string {
    return this.#query;
  }

  set query(query: string) {
    this.#query = query.trim();
    this.#reason = "";
    this.view.description = clean(this.#query, 60);
    void vscode.commands.executeCommand("setContext", "ibid.archive.asked", this.#query !== "");
    this.clear();
  }
}

/** Asks for archived texts alone: no layer but the archive. */
export function inArchive(query: string, offset: number, limit: number): {
  query: string;
  layers: wire.Layer[];
  archive: true;
  offset: number;
  limit: number;
} {
  return { query, layers: [], archive: true, offset, limit };
}
