/** The review queue (C5): what waits to become a note, and how long it still does. */
import * as vscode from "vscode";

import type { Ibid } from "../context";
import * as wire from "../protocol";
import { candidateFacts, candidateRow, leftNow } from "../rows";
import { group, here, leaf, Tree, type Node } from "./tree";

const tick = 20_000;

/** The tree with the words it is narrowed to, counting down while someone looks. */
export class Queue extends Tree<wire.Candidate> {
  #query = "";
  #expired = 0;
  readonly #timer = setInterval(() => {
    this.#countDown();
  }, tick);

  constructor(ibid: Ibid) {
    super(ibid, {
      id: "ibid.queue",
      follows: ["candidates"],
      fetch: async (offset, limit) => {
        const params = { offset, limit, ...(this.#query === "" ? {} : { query: this.#query }) };
        const page = await ibid.ask(wire.candidate.list, params);
        this.#expired = page.digest.expired;
        return { rows: page.candidates, total: page.total };
      },
      arrange: (values) => arrange(ibid, values),
      remark: () =>
        this.#expired === 0 ? "" : vscode.l10n.t("{0} expired: nobody touched them for 14 days", this.#expired),
    });
  }

  get query(): string {
    return this.#query;
  }

  set query(query: string) {
    this.#query = query;
    this.view.description = query;
    this.clear();
  }

  /* What came due has settled on the server: its rows are asked for again. */
  #countDown(): void {
    const settling = this.values.filter((value) => value.waits === "settling");
    if (!this.view.visible || settling.length === 0) return;
    const now = Date.now();
    if (settling.some((value) => leftNow(value, now) <= 0)) this.refresh();
    else this.redraw();
  }

  override dispose(): void {
    clearInterval(this.#timer);
    super.dispose();
  }
}

/* What was said before the project was first seen waits as one group (C1). */
function arrange(ibid: Ibid, values: readonly wire.Candidate[]): readonly Node[] {
  const old = values.filter((value) => value.waits === "history");
  const rest = values.filter((value) => value.waits !== "history");
  const nodes = rest.map((value) => node(ibid, value));
  if (old.length === 0) return nodes;
  const children = old.map((value) => node(ibid, value));
  return [...nodes, group("history", vscode.l10n.t("From your history"), children, rest.length === 0)];
}

function node(ibid: Ibid, value: wire.Candidate): Node<wire.Candidate> {
  return {
    row: candidateRow(value, here(ibid)),
    value,
    children: () => candidateFacts(value, here(ibid)).map(leaf),
  };
}
