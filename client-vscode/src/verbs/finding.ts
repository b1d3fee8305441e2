/** Search as one types, in memory or in the archive, and recall as an agent gets it (F4, M2). */
import * as vscode from "vscode";

import { archivedRow } from "../archived";
import type { Parts, Verbs } from "../commands";
import type { Ibid } from "../context";
import { openTarget } from "../documents";
import { clean, dotted, noIcons } from "../labels";
import * as wire from "../protocol";
import { hitTarget, layerIcon } from "../records";
import { belowRoot, categoryName, documentUri, sessionName, type Here } from "../rows";
import { inArchive, isEmpty, type Asked } from "../views/archive";
import { chosen, here, valueOf } from "../views/tree";
import { icon, text } from "./asking";

/** What a lens or a row of *Reads* asks the archive for. */
interface About {
  readonly query?: unknown;
  readonly uri?: unknown;
  readonly path?: unknown;
}

export function findingVerbs(parts: Parts): Verbs {
  const { ibid, archive } = parts;
  return {
    "ibid.search": () => {
      new Finder(parts, "memory").show();
    },
    "ibid.searchArchive": (about?: unknown) => {
      const { words, path, shown } = askedOf(valueOf(about) ?? about, ibid);
      new Finder(parts, "archive", { path, shown }).show(words);
    },
    "ibid.clearArchive": () => {
      archive.ask({ query: "", path: "" });
    },
    "ibid.copyHandle": async (node?: unknown, nodes?: unknown) => {
      const handles = chosen(archive, node, nodes).map((hit) => hit.handle ?? hit.id);
      if (handles.length > 0) await vscode.env.clipboard.writeText(handles.join("\n"));
    },
    "ibid.recall": () => recall(ibid),
  };
}

/** The file that a search keeps to, and its name for people; both empty for any file. */
interface Within {
  readonly path: string;
  readonly shown: string;
}

/* A lens gives a query or an address, a row of *Reads* a path, which the search keeps to. */
function askedOf(about: unknown, ibid: Ibid): Within & { readonly words: string } {
  const { query, uri, path } = (about ?? {}) as About;
  const words = typeof query === "string" ? clean(query, 200) : "";
  if (words !== "") return { words, path: "", shown: "" };
  if (typeof path === "string") return { words, path, shown: belowRoot(path, ibid.folder?.uri.fsPath) };
  if (typeof uri !== "string") return { words, path: "", shown: "" };
  return { words, path: uri, shown: vscode.workspace.asRelativePath(vscode.Uri.parse(uri), false) };
}

interface HitItem extends vscode.QuickPickItem {
  readonly hit?: wire.Hit;
}

type Scope = "memory" | "both" | "archive";

const typingPause = 150;

/** A list that is asked anew as one types; the server finds and ranks, nothing filters. */
class Finder {
  readonly #pick = vscode.window.createQuickPick<HitItem>();
  readonly #copy: vscode.QuickInputButton = { iconPath: icon("copy"), tooltip: vscode.l10n.t("Copy handle") };
  readonly #list: vscode.QuickInputButton = { iconPath: icon("list-tree"), tooltip: vscode.l10n.t("Show all in the Archive view") };
  readonly #with: vscode.QuickInputButton = { iconPath: icon("archive"), tooltip: vscode.l10n.t("Search the archive too") };
  #asked: vscode.CancellationTokenSource | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly parts: Parts,
    private scope: Scope,
    private readonly within: Within = { path: "", shown: "" },
  ) {
    const pick = this.#pick;
    keepOrder(pick);
    pick.onDidChangeValue(() => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#ask(), typingPause);
    });
    pick.onDidTriggerButton((button) => {
      this.#press(button);
    });
    pick.onDidTriggerItemButton(({ item }) => {
      void vscode.env.clipboard.writeText(item.hit?.handle ?? "");
    });
    pick.onDidAccept(() => {
      const hit = pick.selectedItems[0]?.hit;
      const target = hit === undefined ? undefined : hitTarget(hit, here(parts.ibid));
      pick.hide();
      if (target !== undefined) void vscode.commands.executeCommand("ibid.openDocument", target);
    });
    pick.onDidHide(() => {
      this.#end();
    });
  }

  show(words = ""): void {
    const pick = this.#pick;
    const archive = this.scope === "archive";
    pick.placeholder = archive
      ? vscode.l10n.t("Search what agents read, ran and got, word for word")
      : vscode.l10n.t("Search notes, episodes and what was said");
    pick.buttons = [archive ? this.#list : this.#with];
    if (this.within.shown !== "") pick.title = clean(this.within.shown, 120);
    pick.value = words;
    pick.show();
    if (!isEmpty(this.#wanted())) void this.#ask();
  }

  #press(button: vscode.QuickInputButton): void {
    if (button === this.#list) {
      this.#pick.hide();
      void vscode.commands.executeCommand("ibid.archive.focus");
      return;
    }
    this.scope = this.scope === "both" ? "memory" : "both";
    this.#pick.title = this.scope === "both" ? vscode.l10n.t("With the archive") : "";
    void this.#ask();
  }

  async #ask(): Promise<void> {
    this.#asked?.cancel();
    const source = (this.#asked = new vscode.CancellationTokenSource());
    this.#pick.busy = true;
    try {
      const items = await this.#find(source.token);
      if (!source.token.isCancellationRequested) this.#pick.items = items;
    } catch (error) {
      if (!source.token.isCancellationRequested) this.#pick.items = [notice(error)];
    } finally {
      if (this.#asked === source) this.#pick.busy = false;
    }
  }

  async #find(token: vscode.CancellationToken): Promise<HitItem[]> {
    const wanted = this.#wanted();
    if (isEmpty(wanted)) return [];
    const most = 50;
    const { query } = wanted;
    const params =
      this.scope === "archive" ? inArchive(wanted, 0, most) : { query, archive: this.scope === "both", limit: most };
    const { ibid } = this.parts;
    const { hits, total, reason } = await ibid.ask(wire.search, params, { token });
    const on = here(ibid);
    const items = hits.map((hit) => this.#item(hit, on));
    if (hits.length === 0) return [{ label: clean(reason ?? vscode.l10n.t("Nothing found.")), alwaysShow: true }];
    if (total > hits.length) {
      const label = vscode.l10n.t("{0} more; type more words to narrow it", total - hits.length);
      items.push({ label, alwaysShow: true, iconPath: icon("ellipsis") });
    }
    return items;
  }

  #wanted(): Asked {
    return { query: this.#pick.value, path: this.within.path };
  }

  #item(hit: wire.Hit, on: Here): HitItem {
    return hit.layer === "archive" ? { ...archivedItem(hit, on), buttons: [this.#copy] } : hitItem(hit, on);
  }

  /* What was searched for last stays in the view, to be gone through at leisure. */
  #end(): void {
    clearTimeout(this.#timer);
    this.#asked?.cancel();
    const wanted = this.#wanted();
    if (this.scope === "archive" && !isEmpty(wanted)) this.parts.archive.ask(wanted, this.within.shown);
    this.#pick.dispose();
  }
}

/* Without it the editor sorts what matches by its label, against the server's ranking. */
function keepOrder(pick: vscode.QuickPick<HitItem> & { sortByLabel?: boolean }): void {
  pick.sortByLabel = false;
}

function hitItem(hit: wire.Hit, on: Here): HitItem {
  const { source } = hit;
  const from = source === null ? "" : sessionName(source, on.t);
  return {
    label: noIcons(hit.text, 160),
    description: noIcons(dotted(hit.layer, hit.category !== null && categoryName(hit.category, on.t))),
    ...(source === null ? {} : { detail: noIcons(dotted(from, on.t("turn {0}", source.turn))) }),
    iconPath: icon(layerIcon(hit.layer, hit.category)),
    alwaysShow: true,
    hit,
  };
}

/* Its title stands first, its words below: neither alone says what it is. */
function archivedItem(hit: wire.Hit, on: Here): HitItem {
  const row = archivedRow(hit, on);
  return {
    label: noIcons(row.label, 160),
    description: noIcons(dotted(on.t("archive"), row.description), 120),
    detail: noIcons(row.tooltip?.[1] ?? "", 200),
    iconPath: icon(row.icon ?? "archive"),
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
