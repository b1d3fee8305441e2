/** The status bar: whether memory is on, how much waits, and what is wrong. */
import * as vscode from "vscode";

import type { Health, Ibid } from "./context";
import type { CurrentFile } from "./current";
import { clean, noIcons } from "./labels";
import * as wire from "./protocol";
import { signed } from "./records";
import { historyLine } from "./touches";
import { here } from "./views/tree";

export class StatusBar implements vscode.Disposable {
  readonly #item: vscode.StatusBarItem;
  readonly #subscriptions: { dispose(): unknown }[];
  readonly #arrived = new vscode.EventEmitter<wire.Status>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** What the server last said; undefined while it says nothing. */
  last: wire.Status | undefined;
  readonly onDidArrive = this.#arrived.event;

  constructor(
    private readonly ibid: Ibid,
    private readonly current: CurrentFile,
  ) {
    this.#item = vscode.window.createStatusBarItem("ibid.status", vscode.StatusBarAlignment.Right, 90);
    this.#item.name = "Ibid";
    this.#item.command = "ibid.showStatus";
    this.#subscriptions = [
      this.#item,
      this.#arrived,
      ibid.onDidChangeHealth(() => {
        if (ibid.health !== "running" && ibid.health !== "slow") this.last = undefined;
        this.#show();
      }),
      ibid.onDidChangeMemory(() => {
        this.refresh();
      }),
      current.onDidChange(() => {
        this.#show();
      }),
    ];
    this.#show();
  }

  /** Asks again, soon: several changes in a row are one question. */
  refresh(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#ask();
    }, 200);
  }

  async #ask(): Promise<void> {
    try {
      this.last = await this.ibid.ask(wire.status, {});
      this.#arrived.fire(this.last);
    } catch (error) {
      this.ibid.log.warn(`ibid/status: ${String(error)}`);
    }
    this.#show();
    // An import tells its end by itself; asking now and then costs little.
    if (this.last?.importing === true) setTimeout(() => { this.refresh(); }, 2000);
  }

  #show(): void {
    const { health } = this.ibid;
    if (health === "none") {
      this.#item.hide();
      return;
    }
    const look = health === "running" ? this.#lookOfMemory() : lookOfServer(health, this.ibid.reason);
    this.#item.text = look.text;
    this.#item.accessibilityInformation = { label: look.say };
    this.#item.tooltip = look.say;
    this.#item.backgroundColor =
      look.alarm === undefined ? undefined : new vscode.ThemeColor(`statusBarItem.${look.alarm}Background`);
    this.#item.show();
  }

  #lookOfMemory(): Look {
    const status = this.last;
    if (status === undefined) return { text: "$(quote) Ibid", say: "Ibid" };
    const folders = vscode.workspace.workspaceFolders?.length ?? 0;
    const name = folders > 1 ? `Ibid ${noIcons(status.name, 30)}` : "Ibid";
    const count = status.candidates > 0 ? ` ${status.candidates}` : "";
    const icon = status.importing ? "$(sync~spin)" : stateIcons[status.state];
    const alarm = status.state === "refused" ? { alarm: "warning" as const } : {};
    const say = [...saying(status), this.#ofThisFile()].filter((line) => line !== "").join("\n");
    const net = typeof status.net === "number" ? ` ${short(status.net)}` : "";
    return { text: `${icon} ${name}${count}${net}`, say, ...alarm };
  }

  /* The file in front, if an agent has seen it. */
  #ofThisFile(): string {
    const { seen } = this.current;
    if (seen?.history === undefined) return "";
    const line = historyLine(seen.history, here(this.ibid));
    return line === "" ? "" : `${clean(vscode.workspace.asRelativePath(seen.uri, false), 80)}: ${line}`;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const one of this.#subscriptions) one.dispose();
  }
}

interface Look {
  readonly text: string;
  readonly say: string;
  readonly alarm?: "warning" | "error";
}

function lookOfServer(health: Health, reason: string): Look {
  switch (health) {
    case "slow":
      return {
        text: vscode.l10n.t("$(watch) Ibid: slow"),
        say: vscode.l10n.t("Ibid's server has not answered for some seconds."),
        alarm: "warning",
      };
    case "dead":
      return {
        text: vscode.l10n.t("$(error) Ibid: stopped"),
        say: vscode.l10n.t("Ibid's server is not running. {0}", clean(reason)),
        alarm: "error",
      };
    case "missing":
      return { text: vscode.l10n.t("$(warning) Ibid: not installed"), say: clean(reason), alarm: "warning" };
    case "starting":
    case "running":
    case "none":
      return { text: "$(loading~spin) Ibid", say: vscode.l10n.t("Ibid's server is starting.") };
  }
}

const stateIcons: Record<wire.Status["state"], string> = {
  on: "$(quote)",
  learning: "$(mortar-board)",
  recalling: "$(book)",
  off: "$(circle-slash)",
  readOnly: "$(lock)",
  refused: "$(warning)",
};

export function stateName(state: wire.Status["state"]): string {
  return {
    on: vscode.l10n.t("Memory is on"),
    learning: vscode.l10n.t("Memory learns, but is not recalled"),
    recalling: vscode.l10n.t("Memory is recalled, but does not learn"),
    off: vscode.l10n.t("Memory is off"),
    readOnly: vscode.l10n.t("Memory is read-only"),
    refused: vscode.l10n.t("Memory is held back"),
  }[state];
}

/* A signed number as it fits into a status bar: `+13.9k`. */
function short(tokens: number): string {
  if (Math.abs(tokens) < 1000) return signed(tokens);
  const [size, unit] = Math.abs(tokens) < 999_500 ? [1000, "k"] : [1_000_000, "M"];
  return `${tokens < 0 ? "−" : "+"}${(Math.abs(tokens) / size).toFixed(1).replace(/\.0$/, "")}${unit}`;
}

function saying(status: wire.Status): string[] {
  return [
    `Ibid · ${clean(status.name, 60)}`,
    stateName(status.state),
    vscode.l10n.t("{0} to review, {1} notes", status.candidates, status.notes),
    typeof status.net === "number" ? vscode.l10n.t("Measured net: {0} tokens", signed(status.net)) : "",
    status.importing ? vscode.l10n.t("Importing sessions …") : "",
    clean(status.message ?? ""),
  ];
}
