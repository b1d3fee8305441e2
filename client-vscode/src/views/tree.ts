/**
 * The tree all views are made of: rows from pure functions, read in pages.
 *
 * A view says how to fetch and how one value becomes a node; paging, refreshing,
 * error display and the translation into tree items are here, once.
 */
import * as vscode from "vscode";

import type { Ibid } from "../context";
import { clean, cleanLines, noLinks } from "../labels";
import { Pager, type Page } from "../pager";
import type * as wire from "../protocol";
import type { Here, Row, Target } from "../rows";

/** One row of a tree, with the value it stands for and what is under it. */
export interface Node<T = unknown> {
  readonly row: Row;
  readonly value?: T;
  readonly children?: () => Promise<readonly Node[]> | readonly Node[];
  readonly expanded?: boolean;
}

export interface Shape<T> {
  readonly id: string;
  /** The changes of memory after which the rows are to be read again. */
  readonly follows: readonly wire.Changed[];
  /** What else changes how the rows are shown, but not which there are. */
  readonly alsoOn?: vscode.Event<void>;
  fetch(offset: number, limit: number): Promise<Page<T>>;
  arrange(values: readonly T[]): readonly Node[];
  /** A line above the rows, after they were read. */
  remark?(): string;
}

const moreId = "ibid.more";

export class Tree<T> implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  readonly view: vscode.TreeView<Node>;
  readonly #pager: Pager<T>;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscriptions: vscode.Disposable[];
  #refresh: ReturnType<typeof setTimeout> | undefined;

  readonly onDidChangeTreeData = this.#changed.event;

  constructor(
    private readonly ibid: Ibid,
    private readonly shape: Shape<T>,
  ) {
    this.#pager = new Pager((offset, limit) => shape.fetch(offset, limit));
    this.view = vscode.window.createTreeView<Node>(shape.id, {
      treeDataProvider: this,
      canSelectMany: true,
      showCollapseAll: true,
    });
    this.#subscriptions = [
      this.view,
      ibid.onDidChangeMemory((kinds) => {
        if (kinds.some((kind) => shape.follows.includes(kind))) this.refresh();
      }),
      ibid.onDidChangeHealth((health) => {
        if (health !== "running" && health !== "slow") this.clear();
      }),
      ...(shape.alsoOn === undefined ? [] : [shape.alsoOn(() => { this.redraw(); })]),
    ];
  }

  get id(): string {
    return this.shape.id;
  }

  get values(): readonly T[] {
    return this.#pager.rows;
  }

  get total(): number {
    return this.#pager.total;
  }

  /** Reads again, soon: several changes in a row are one reading. */
  refresh(): void {
    this.#pager.invalidate();
    this.#refresh ??= setTimeout(() => {
      this.#refresh = undefined;
      this.redraw();
    }, 150);
  }

  /** Shows the same values anew, as when time has passed. */
  redraw(): void {
    this.#changed.fire();
  }

  /** Starts over: another question, another project, or no server. */
  clear(): void {
    this.#pager.clear();
    this.#loaded(false);
    this.redraw();
  }

  async more(): Promise<void> {
    await this.#pager.more();
    this.redraw();
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (node !== undefined) return this.#under(node);
    if (this.ibid.health !== "running" && this.ibid.health !== "slow") return [];
    const values = await this.#read();
    const nodes = this.shape.arrange(values);
    return this.#pager.hasMore ? [...nodes, this.#moreNode()] : [...nodes];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const { row } = node;
    const { label, mark } = row;
    const shown = mark === undefined ? label : { label, highlights: [[0, mark] as [number, number]] };
    const item = new vscode.TreeItem(shown, collapsible(node));
    item.id = row.id;
    if (row.description !== undefined && row.description !== "") item.description = row.description;
    if (row.icon !== undefined) item.iconPath = themeIcon(row);
    if (row.context !== undefined) item.contextValue = row.context;
    item.tooltip = tooltip(row.tooltip ?? [row.label]);
    const command = row.id.startsWith(moreId) ? this.#moreCommand() : openCommand(row.open);
    if (command !== undefined) item.command = command;
    return item;
  }

  async #under(node: Node): Promise<Node[]> {
    try {
      return [...((await node.children?.()) ?? [])];
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return [{ row: { id: `${node.row.id}/failed`, label: clean(why, 200), icon: "error" } }];
    }
  }

  async #read(): Promise<readonly T[]> {
    try {
      const values = await this.#pager.current();
      this.view.message = this.shape.remark?.() ?? "";
      this.#loaded(true);
      return values;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.ibid.log.warn(`${this.shape.id}: ${why}`);
      if (this.ibid.health === "running") this.view.message = noLinks(why, 300);
      return this.#pager.rows;
    }
  }

  #loaded(loaded: boolean): void {
    void vscode.commands.executeCommand("setContext", `${this.shape.id}.loaded`, loaded);
  }

  #moreNode(): Node {
    const left = this.#pager.total - this.#pager.rows.length;
    const label = vscode.l10n.t("Load more ({0} left)", left);
    return { row: { id: `${moreId}/${this.shape.id}`, label, icon: "ellipsis" } };
  }

  #moreCommand(): vscode.Command {
    return { command: "ibid.loadMore", title: vscode.l10n.t("Load more"), arguments: [this.shape.id] };
  }

  dispose(): void {
    clearTimeout(this.#refresh);
    for (const one of this.#subscriptions) one.dispose();
    this.#changed.dispose();
  }
}

/** Now, here, and the words for it, as rows want them. */
export function here(ibid: Ibid): Here {
  return {
    t: (message, ...values) => vscode.l10n.t(message, ...values),
    now: Date.now(),
    locale: vscode.env.language,
    project: ibid.otherProject,
    root: ibid.folder?.uri.fsPath,
  };
}

export function leaf(row: Row): Node {
  return { row };
}

/** The values a command is for: the selection if the row it was called on is in it. */
export function chosen<T>(tree: Tree<T>, node: unknown, nodes: unknown): T[] {
  const given = isNode(node) ? [node] : [];
  const marked = Array.isArray(nodes) ? nodes.filter(isNode) : [];
  const all = marked.length > 0 ? marked : given.length > 0 ? given : tree.view.selection;
  return all.flatMap((one) => (one.value === undefined ? [] : [one.value as T]));
}

/** What the row stands for that a command was called on; undefined from the palette. */
export function valueOf(node: unknown): unknown {
  return isNode(node) ? node.value : undefined;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "row" in value;
}

function collapsible(node: Node): vscode.TreeItemCollapsibleState {
  if (node.children === undefined) return vscode.TreeItemCollapsibleState.None;
  return node.expanded === true
    ? vscode.TreeItemCollapsibleState.Expanded
    : vscode.TreeItemCollapsibleState.Collapsed;
}

function themeIcon({ icon, color }: Row): vscode.ThemeIcon {
  const name = icon ?? "blank";
  return color === undefined
    ? new vscode.ThemeIcon(name)
    : new vscode.ThemeIcon(name, new vscode.ThemeColor(color));
}

/* A plain string: in Markdown even an escaped text would have its addresses linked. */
function tooltip(paragraphs: readonly string[]): string {
  return paragraphs.filter((one) => one !== "").map((one) => cleanLines(one)).join("\n\n");
}

function openCommand(target: Target | undefined): vscode.Command | undefined {
  if (target === undefined) return undefined;
  return { command: "ibid.openDocument", title: vscode.l10n.t("Open"), arguments: [target] };
}

/** A row that only heads a group. */
export function group(id: string, label: string, children: readonly Node[], expanded: boolean): Node {
  return {
    row: { id, label: clean(label), description: String(children.length), icon: "folder", context: "group" },
    children: () => children,
    expanded,
  };
}
