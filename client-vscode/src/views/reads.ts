/** Reads (N7): what agents have seen of the project's files, the one in front first. */
import type { Ibid } from "../context";
import type { CurrentFile } from "../current";
import * as wire from "../protocol";
import type { TouchedFile } from "../reading";
import { currentRow, fileRow, historyNodes } from "../touches";
import { here, Tree, type Node } from "./tree";

/** What a row of a file stands for; its path is absolute, or below the project. */
export interface ReadFile {
  readonly path: string;
}

export function createReads(ibid: Ibid, current: CurrentFile): Tree<TouchedFile> {
  return new Tree<TouchedFile>(ibid, {
    id: "ibid.reads",
    follows: ["turns"],
    alsoOn: current.onDidChange,
    async fetch(offset, limit) {
      const page = await ibid.ask(wire.files, { offset, limit });
      return { rows: page.files, total: page.total };
    },
    arrange: (values) => [...currentNode(ibid, current), ...values.map((value) => fileNode(ibid, value))],
  });
}

function currentNode(ibid: Ibid, current: CurrentFile): Node<ReadFile>[] {
  const { seen } = current;
  if (seen === undefined) return [];
  const { uri, project, history } = seen;
  const on = { ...here(ibid), project: ibid.elsewhere(project), root: project };
  return [
    {
      row: currentRow(uri.fsPath, history, on),
      value: { path: uri.fsPath },
      children: () => (history === undefined ? [] : historyNodes(history, on, `current/${uri.fsPath}`)),
      expanded: true,
    },
  ];
}

function fileNode(ibid: Ibid, value: TouchedFile): Node<ReadFile> {
  const { path } = value;
  return {
    row: fileRow(value, here(ibid)),
    value: { path },
    children: async () => historyNodes(await ibid.ask(wire.reads, { path }), here(ibid), `file/${path}`),
  };
}
