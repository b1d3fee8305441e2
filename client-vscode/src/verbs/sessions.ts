/** Presets, switches, import, export: what governs whole sessions and the project (H1, H2). */
import { Buffer } from "node:buffer";
import * as vscode from "vscode";

import type { Parts, Verbs } from "../commands";
import type { Ibid } from "../context";
import { openTarget } from "../documents";
import { clean, noIcons } from "../labels";
import * as wire from "../protocol";
import { presetIcons, presetName, sessionRow } from "../records";
import { documentUri, type Here } from "../rows";
import { chosen, here } from "../views/tree";
import { followed, icon } from "./asking";
import { policyVerbs } from "./policy";

export function sessionVerbs(parts: Parts): Verbs {
  const { ibid } = parts;
  return {
    ...policyVerbs(parts),
    "ibid.setPreset": async (node?: unknown, nodes?: unknown) => {
      const [one] = await pickSession(parts, node, nodes);
      if (one !== undefined) await setPreset(ibid, { session: one.session }, one.preset);
    },
    "ibid.setNextPreset": async () => {
      const agent = await pickAgent(parts);
      if (agent !== undefined) await setPreset(ibid, { agent });
    },
    "ibid.deleteSession": async (node?: unknown, nodes?: unknown) => {
      const [one] = await pickSession(parts, node, nodes);
      if (one !== undefined) await erase(ibid, one);
    },
    "ibid.exportSession": async (node?: unknown, nodes?: unknown) => {
      const [one] = await pickSession(parts, node, nodes);
      if (one !== undefined) await exportTo(ibid, one);
    },
    "ibid.importSessions": () => importSessions(ibid),
    "ibid.showReceipt": async (node?: unknown, nodes?: unknown) => {
      const [one] = chosen(parts.receipts, node, nodes);
      if (one === undefined) return;
      await openTarget(ibid, { kind: "document", uri: documentUri("receipt", [one.id], ibid.otherProject) });
    },
  };
}

const presets: readonly wire.Preset[] = ["default", "memory-on", "recall-only", "private", "learn-only"];

function presetMeaning(preset: wire.Preset): string {
  return {
    default: vscode.l10n.t("Follows the switches of the project"),
    "memory-on": vscode.l10n.t("Recalls and learns, as far as the switches allow"),
    "recall-only": vscode.l10n.t("Gets memory, leaves nothing behind"),
    private: vscode.l10n.t("Gets no memory, leaves nothing behind"),
    "learn-only": vscode.l10n.t("Gets no memory, but is learned from"),
  }[preset];
}

async function setPreset(
  ibid: Ibid,
  whose: { session: string } | { agent: string },
  now?: wire.Session["preset"],
): Promise<void> {
  const { t } = here(ibid);
  const items = presets.map((preset) => ({
    label: presetName(preset, t),
    description: preset === now ? t("now") : "",
    detail: presetMeaning(preset),
    iconPath: icon(presetIcons[preset]),
    preset,
  }));
  const title =
    "session" in whose
      ? vscode.l10n.t("Memory of this session")
      : vscode.l10n.t("Memory of {0}'s next session", noIcons(whose.agent, 40));
  const picked = await vscode.window.showQuickPick(items, { title });
  if (picked === undefined) return;
  await ibid.ask(wire.session.preset, { ...whose, preset: picked.preset });
  ibid.touched(["turns", "policy"]);
}

async function pickAgent({ ibid }: Parts): Promise<string | undefined> {
  const { sessions } = await ibid.ask(wire.session.list, { limit: 200 });
  const agents = new Set([...sessions.map((one) => one.agent), "claude-code", "codex", "gemini", "opencode", "copilot"]);
  const items = [...agents].map((agent) => ({ label: noIcons(agent, 40), iconPath: icon("hubot"), agent }));
  const picked = await vscode.window.showQuickPick(items, { title: vscode.l10n.t("Which agent's next session?") });
  return picked?.agent;
}

async function erase(ibid: Ibid, one: wire.Session): Promise<void> {
  const yes = vscode.l10n.t("Delete");
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t("Delete all that is remembered of this session?"),
    {
      modal: true,
      detail: `“${clean(one.title ?? one.session, 200)}”\n\n${vscode.l10n.t("Its turns, archive, episodes and notes that rest on it alone are erased. The agent's own files are not touched.")}`,
    },
    yes,
  );
  if (answer !== yes) return;
  await ibid.ask(wire.session.delete, { session: one.session });
  ibid.touched(["turns", "notes", "receipts", "candidates"]);
}

async function exportTo(ibid: Ibid, one: wire.Session): Promise<void> {
  const [folder] =
    (await vscode.window.showOpenDialog({
      canSelectFiles: false,
      canSelectFolders: true,
      openLabel: vscode.l10n.t("Export here"),
    })) ?? [];
  if (folder === undefined) return;
  const { files } = await ibid.ask(wire.exportSession, { session: one.session }, { patient: true });
  for (const file of files) {
    const name = file.name.replace(/[^\w.-]/g, "_").replace(/^\.+/, "");
    await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(folder, name), Buffer.from(file.base64, "base64"));
  }
  const cut = files.some((file) => file.cut)
    ? vscode.l10n.t("Some secrets were cut out when it was kept.")
    : "";
  void vscode.window.showInformationMessage(vscode.l10n.t("Exported {0} files. {1}", files.length, cut));
}

async function importSessions(ibid: Ibid): Promise<void> {
  const done = await followed(ibid, vscode.l10n.t("Importing sessions"), (workDoneToken, token) =>
    ibid.ask(wire.importSessions, { workDoneToken }, { token, patient: true }),
  );
  ibid.touched(["turns", "candidates", "notes", "receipts"]);
  const said = vscode.l10n.t(
    "Imported {0} turns of {1} sessions; {2} candidates to review.",
    done.turns,
    done.sessions,
    done.candidates,
  );
  for (const problem of done.problems ?? []) ibid.log.warn(`import: ${JSON.stringify(problem)}`);
  void vscode.window.showInformationMessage(said);
}

/** The session a command was called on; from the palette, one out of a list. */
export async function pickSession(parts: Parts, node: unknown, nodes: unknown): Promise<wire.Session[]> {
  const given = chosen(parts.sessions, node, nodes);
  if (given.length > 0) return given;
  const { sessions } = await parts.ibid.ask(wire.session.list, { limit: 200 });
  const on: Here = here(parts.ibid);
  const items = sessions.map((one) => {
    const row = sessionRow(one, on);
    return { label: noIcons(row.label), description: row.description ?? "", iconPath: icon(row.icon ?? "blank"), one };
  });
  const placeHolder = items.length === 0 ? vscode.l10n.t("No sessions yet") : "";
  const picked = await vscode.window.showQuickPick(items, { title: vscode.l10n.t("Sessions"), placeHolder });
  return picked === undefined ? [] : [picked.one];
}
