/** Search as one types, and recall as an agent would get it (F4). */
import * as vscode from "vscode";

import type { Parts, Verbs } from "../commands";
import type { Ibid } from "../context";
import { openTarget } from "../documents";
import { clean, dotted, noIcons } from "../labels";
import * as wire from "../protocol";
import { hitTarget, layerIcon } from "../records";
import { categoryName, documentUri, sessionName, type Here } from "../rows";
import { here } from "../views/tree";
import { icon, text } from "./asking";

export function findingVerbs({ ibid }: Parts): Verbs {
  return {
    "ibid.search": () => {
      search(ibid);
    },
    "ibid.recall": () => recall(ibid),
  };
}

interface HitItem extends vscode.QuickPickItem {
  readonly hit?: wire.Hit;
}

const typingPause = 150;

/* The server finds and ranks; the list shows its order and filters nothing. */
function search(ibid: Ibid): void {
  const pick = vscode.window.createQuickPick<HitItem>();
  const archive = { iconPath: icon("archive"), tooltip: vscode.l10n.t("Search the archive too") };
  let inArchive = false;
  let asked: vscode.CancellationTokenSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const ask = async (): Promise<void> => {
    asked?.cancel();
    const source = (asked = new vscode.CancellationTokenSource());
    pick.busy = true;
    try {
      const items = await find(ibid, pick.value, inArchive, source.token);
      if (!source.token.isCancellationRequested) pick.items = items;
    } catch (error) {
      if (!source.token.isCancellationRequested) pick.items = [notice(error)];
    } finally {
      if (asked === source) pick.busy = false;
    }
  };
  keepOrder(pick);
  pick.placeholder = vscode.l10n.t("Search notes, episodes and what was said");
  pick.buttons = [archive];
  pick.onDidChangeValue(() => {
    clearTimeout(timer);
    timer = setTimeout(() => void ask(), typingPause);
  });
  pick.onDidTriggerButton(() => {
    inArchive = !inArchive;
    pick.title = inArchive ? vscode.l10n.t("With the archive") : "";
    void ask();
  });
  pick.onDidAccept(() => {
    const hit = pick.selectedItems[0]?.hit;
    const target = hit === undefined ? undefined : hitTarget(hit, here(ibid));
    pick.hide();
    if (target !== undefined) void vscode.commands.executeCommand("ibid.openDocument", target);
  });
  pick.onDidHide(() => {
    clearTimeout(timer);
    asked?.cancel();
    pick.dispose();
  });
  pick.show();
}

/* Without it the editor sorts what matches by its label, against the server's ranking. */
function keepOrder(pick: vscode.QuickPick<HitItem> & { sortByLabel?: boolean }): void {
  pick.sortByLabel = false;
}

async function find(
  ibid: Ibid,
  query: string,
  archive: boolean,
  token: vscode.CancellationToken,
): Promise<HitItem[]> {
  if (query.trim() === "") return [];
  const { hits, total, reason } = await ibid.ask(wire.search, { query, archive, limit: 50 }, { token });
  const on = here(ibid);
  const items: HitItem[] = hits.map((hit) => hitItem(hit, on));
  if (hits.length === 0) return [{ label: clean(reason ?? vscode.l10n.t("Nothing found.")), alwaysShow: true }];
  if (total > hits.length) {
    const label = vscode.l10n.t("{0} more; type more words to narrow it", total - hits.length);
    items.push({ label, alwaysShow: true, iconPath: icon("ellipsis") });
  }
  return items;
}

function hitItem(hit: wire.Hit, on: Here): HitItem {
  const { source } = hit;
  const from = source === null ? "" : sessionName(source, on.t);
  return {
    label: noIcons(hit.text, 160),
    description: dotted(hit.layer === "archive" ? on.t("archive") : hit.layer, hit.category !== null && categoryName(hit.category, on.t)),
    ...(source === null ? {} : { detail: noIcons(dotted(from, on.t("turn {0}", source.turn))) }),
    iconPath: icon(layerIcon(hit.layer, hit.category)),
    alwaysShow: true,
    hit,
  };
}

function notice(error: unknown): HitItem {
  const label = noIcons(error instanceof Error ? error.message : String(error));
  return { label, alwaysShow: true, iconPath: icon("error") };
}

async function recall(ibid: Ibid): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const selected = editor?.document.getText(editor.selection) ?? "";
  const prompt = await text(vscode.l10n.t("What would you ask an agent?"), clean(selected, 360));
  if (prompt === undefined) return;
  const { block, receipt, reason } = await ibid.ask(wire.recall, { prompt });
  ibid.touched(["receipts"]);
  if (block === null || receipt === null) {
    const why = clean(reason ?? "", 200);
    void vscode.window.showInformationMessage(vscode.l10n.t("Nothing would be recalled. {0}", why));
    return;
  }
  await openTarget(ibid, { kind: "document", uri: documentUri("receipt", [receipt], ibid.otherProject) });
}
