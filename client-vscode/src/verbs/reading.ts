/** From a file to what agents saw of it, and from code to what is recalled for it (R4, N7). */
import * as vscode from "vscode";

import type { Parts, Verbs } from "../commands";
import { openTarget } from "../documents";
import { documentUri } from "../rows";
import { here, valueOf } from "../views/tree";

/** What a lens says it is about: a file, and for a recall the words. */
interface About {
  readonly project?: unknown;
  readonly uri?: unknown;
  readonly query?: unknown;
}

export function readingVerbs(parts: Parts): Verbs {
  const { ibid, current } = parts;
  return {
    "ibid.openReads": async (about?: About) => {
      if (typeof about?.uri === "string") current.show(vscode.Uri.parse(about.uri, true));
      await vscode.commands.executeCommand("ibid.reads.focus");
    },
    "ibid.openRecall": async (about?: About) => {
      if (typeof about?.query !== "string") {
        await vscode.commands.executeCommand("ibid.recall");
        return;
      }
      const project = typeof about.project === "string" ? about.project : undefined;
      await openTarget(ibid, { kind: "document", uri: documentUri("recall", [about.query], ibid.elsewhere(project)) });
    },
    "ibid.openArchived": async (node?: unknown) => {
      const { number } = (valueOf(node) ?? {}) as { number?: unknown };
      if (typeof number !== "string") return;
      await openTarget(ibid, { kind: "document", uri: documentUri("archive", [number], here(ibid).project) });
    },
  };
}
