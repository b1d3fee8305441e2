/** Reports a person asks for, and who works where: doctor, accounts, claims (O4, P2, Q1). */
import * as vscode from "vscode";
import { ErrorCodes } from "vscode-languageclient/node";

import type { Parts, Verbs } from "../commands";
import type { Ibid } from "../context";
import { clean, noIcons, noLinks } from "../labels";
import { figuresOf } from "../page/figures";
import * as wire from "../protocol";
import { replayText } from "../replayed";
import { accountText, doctorText } from "../reports";
import { agentName } from "../touches";
import { here } from "../views/tree";
import { followed, icon } from "./asking";
import { pickSession } from "./sessions";

export function reportingVerbs(parts: Parts): Verbs {
  const { ibid, pages } = parts;
  return {
    "ibid.doctor": async () => {
      const title = vscode.l10n.t("Ibid's doctor is looking");
      const found = await following(title, () => ibid.ask(wire.doctor, {}, { patient: true }));
      await pages.show("doctor", doctorText(found, here(ibid)));
    },
    "ibid.report": async () => {
      const { lines, estimator } = figuresOf(await ibid.ask(wire.report, {}));
      await pages.show("accounts", accountText(lines, estimator, here(ibid)));
    },
    "ibid.replay": async () => {
      const found = await replay(ibid);
      if (found !== undefined) await pages.show("replay", replayText(found, here(ibid)));
    },
    "ibid.claimPaths": async (node?: unknown, nodes?: unknown) => {
      const [session] = await pickSession(parts, node, nodes);
      if (session !== undefined) await claimPaths(ibid, session);
    },
    "ibid.releasePaths": () => releasePaths(ibid),
  };
}

function following<T>(title: string, task: () => Promise<T>): Thenable<T> {
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, task);
}

/* An older server has no replay; whatever is thrown when a person cancels is no fault. */
async function replay(ibid: Ibid): Promise<wire.Replayed | undefined> {
  const title = vscode.l10n.t("Playing past sessions again");
  try {
    return await followed(ibid, title, (workDoneToken, token) =>
      ibid.ask(wire.replay, { workDoneToken }, { token, patient: true }),
    );
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code !== ErrorCodes.MethodNotFound) throw error;
    void vscode.window.showInformationMessage(vscode.l10n.t("This server cannot do that yet: update it."));
    return undefined;
  }
}

async function claimPaths(ibid: Ibid, { session, agent }: wire.Session): Promise<void> {
  const root = ibid.folder?.uri;
  const chosen = await vscode.window.showOpenDialog({
    canSelectFiles: true,
    canSelectFolders: true,
    canSelectMany: true,
    openLabel: vscode.l10n.t("Claim"),
    title: vscode.l10n.t("Which paths is {0} to have for itself?", agentName(agent)),
    ...(root === undefined ? {} : { defaultUri: root }),
  });
  if (chosen === undefined || chosen.length === 0) return;
  await ibid.ask(wire.claim, { session, paths: chosen.map((uri) => uri.fsPath) });
  const names = chosen.map((uri) => vscode.workspace.asRelativePath(uri, false)).join(", ");
  void vscode.window.showInformationMessage(vscode.l10n.t("{0} has {1} for itself now.", agentName(agent), noLinks(names, 200)));
}

/* All claims that hold, each with whose it is; what is ticked is released. */
async function releasePaths(ibid: Ibid): Promise<void> {
  const { claims } = await ibid.ask(wire.claim, {});
  if (claims.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t("No session has claimed a path."));
    return;
  }
  const items = claims.map((claim) => ({
    label: noIcons(claim.path, 160),
    description: noIcons(`${agentName(claim.agent)} ${clean(claim.session, 8)}`),
    iconPath: icon("lock"),
    claim,
  }));
  const title = vscode.l10n.t("Claimed paths: which are to be released?");
  const picked = await vscode.window.showQuickPick(items, { title, canPickMany: true });
  const bySession = new Map<string, string[]>();
  for (const { claim } of picked ?? []) {
    bySession.set(claim.session, [...(bySession.get(claim.session) ?? []), claim.path]);
  }
  for (const [session, paths] of bySession) await ibid.ask(wire.claim, { session, paths, release: true });
}
