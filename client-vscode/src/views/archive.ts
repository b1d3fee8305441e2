/** The archive (M2): what agents saw word for word, as the last search found it. */
import * as vscode from "vscode";

import { archivedRow } from "../archived";
import type { Ibid } from "../context";
import { clean, dotted } from "../labels";
import * as wire from "../protocol";
import { here, Tree, type Shape } from "./tree";

/** What the archive is asked for: words, what is about one file, or both. */
export interface Asked {
  readonly query: string;
  /** Absolute, below the project, or the file's URI; "" is any file. */
  readonly path: string;
}

/** The tree with the words it was asked for; without any, and without a file, it asks nothing. */
export class Archive extends Tree<wire.Hit> {
  #asked: Asked = { query: "", path: "" };
  #reason = "";

  constructor(ibid: Ibid) {
    const shape: Shape<wire.Hit> = {
      id: "ibid.archive",
      follows: [],
      fetch: async (offset, limit) => {
        if (isEmpty(this.#asked)) return { rows: [], total: 0 };
        const page = await ibid.ask(wire.search, inArchive(this.#asked, offset, limit));
        this.#reason = page.hits.length === 0 && offset === 0 ? (page.reason ?? "") : "";
        return { rows: page.hits, total: page.total };
      },
      arrange: (values) => values.map((value) => ({ row: archivedRow(value, here(ibid)), value })),
      remark: () => clean(this.#reason, 200),
    };
    super(ibid, shape);
  }

  /** Asks anew; `shown` names the file for people. */
  ask(asked: Asked, shown = ""): void {
    this.#asked = { query: asked.query.trim(), path: asked.path };
    this.#reason = "";
    this.view.description = dotted(clean(shown, 60), clean(this.#asked.query, 60));
    void vscode.commands.executeCommand("setContext", "ibid.archive.asked", !isEmpty(this.#asked));
    this.clear();
  }
}

/** Whether there is nothing to ask for. */
export function isEmpty({ query, path }: Asked): boolean {
  return query.trim() === "" && path === "";
}

/** Asks for archived texts alone: no layer but the archive. */
export function inArchive({ query, path }: Asked, offset: number, limit: number): {
  query: string;
  path?: string;
  layers: wire.Layer[];
  archive: true;
  offset: number;
  limit: number;
} {
  return { query, ...(path === "" ? {} : { path }), layers: [], archive: true, offset, limit };
}
