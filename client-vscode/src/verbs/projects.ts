/** Which other projects recall uses, beside the project's own memory (S2). */
import * as vscode from "vscode";

import type { Parts, Verbs } from "../commands";
import type { Ibid } from "../context";
import { noIcons, noLinks } from "../labels";
import * as wire from "../protocol";

export function projectVerbs({ ibid }: Parts): Verbs {
  return {
    "ibid.includeProjects": () => includeProjects(ibid),
  };
}

interface Choice extends vscode.QuickPickItem {
  readonly path: string;
}

/** Lets the person tick the projects; what was ticked or unticked is told one by one. */
async function includeProjects(ibid: Ibid): Promise<void> {
  const [{ projects }, { project }] = await Promise.all([ibid.ask(wire.projects, {}), ibid.ask(wire.status, {})]);
  const included = projects.find((one) => one.path === project)?.includes ?? [];
  const known = projects.filter((one) => one.path !== project);
  const gone = included.filter((one) => !known.some(({ path }) => path === one.path));
  const items = [...known, ...gone].map((one) => choiceOf(one, included));
  if (items.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t("No other project has memory here."));
    return;
  }
  const picked = await vscode.window.showQuickPick(items, {
    canPickMany: true,
    matchOnDescription: true,
    title: vscode.l10n.t("Recall from which other projects?"),
    placeHolder: vscode.l10n.t("Their notes and episodes come along, named; nothing else crosses"),
  });
  if (picked === undefined) return;
  for (const { path, picked: was } of items) {
    const now = picked.some((one) => one.path === path);
    if (now !== was) await ibid.ask(wire.includeProject, { other: path, included: now });
  }
  ibid.touched(["policy"]);
  const names = picked.map(({ label }) => noLinks(label, 60)).join(", ");
  void vscode.window.showInformationMessage(
    names === "" ? vscode.l10n.t("Recall uses this project alone.") : vscode.l10n.t("Recall uses {0}, too.", names),
  );
}

function choiceOf({ path, name }: { path: string; name: string }, included: wire.Project["includes"]): Choice {
  const listed = included.find((one) => one.path === path);
  return {
    label: noIcons(name, 60),
    description: noIcons(path, 200),
    ...(listed?.missing === true ? { detail: vscode.l10n.t("There is no memory there any more") } : {}),
    picked: listed !== undefined,
    path,
  };
}
