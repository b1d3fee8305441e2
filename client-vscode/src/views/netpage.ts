/**
 * The net's page (P2, P3): a frame without network or markup from outside.
 *
 * It is given figures and asks for three things only, each checked here; what turns a
 * feature back on must be one that was shown as switched off.
 */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

import type { Ibid } from "../context";
import { guard } from "../guard";
import { clean, noLinks } from "../labels";
import { figuresOf, type Figures } from "../page/figures";
import { fromPage, type FromPage, type ToPage } from "../page/messages";
import * as wire from "../protocol";

const nothing: Figures = { lines: [], days: [], estimator: "", control: 0 };
const daysShown = 90;

const kindOfPage = "ibid.netPage";

export class NetPage implements vscode.Disposable {
  readonly #files: vscode.Uri;
  readonly #icon: vscode.Uri;
  #panel: vscode.WebviewPanel | undefined;
  #figures = nothing;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #revived: vscode.Disposable;

  constructor(
    private readonly ibid: Ibid,
    extension: vscode.Uri,
  ) {
    this.#files = vscode.Uri.joinPath(extension, "out", "page");
    this.#icon = vscode.Uri.joinPath(extension, "media", "ibid.png");
    this.#revived = vscode.window.registerWebviewPanelSerializer(kindOfPage, {
      deserializeWebviewPanel: (panel) => {
        if (this.#panel === undefined) this.#fill(panel);
        else panel.dispose();
        return Promise.resolve();
      },
    });
  }

  /** Shows the page, making it if there is none. */
  show(): void {
    if (this.#panel !== undefined) {
      this.#panel.reveal();
      return;
    }
    const panel = vscode.window.createWebviewPanel(kindOfPage, vscode.l10n.t("Net of cost and saving"), vscode.ViewColumn.Active);
    this.#fill(panel);
  }

  /* A panel that is new, or that a reload of the window left empty. */
  #fill(panel: vscode.WebviewPanel): void {
    this.#panel = panel;
    panel.webview.options = { enableScripts: true, enableForms: false, localResourceRoots: [this.#files] };
    panel.iconPath = this.#icon;
    panel.webview.html = this.#html(panel.webview);
    const heard = panel.webview.onDidReceiveMessage((message: unknown) => {
      const said = fromPage(message);
      if (said !== undefined) void guard(this.ibid, () => this.#hear(said));
    });
    const changed = this.ibid.onDidChangeMemory((kinds) => {
      if (kinds.includes("receipts") || kinds.includes("turns")) this.#refreshSoon();
    });
    panel.onDidDispose(() => {
      this.#panel = undefined;
      vscode.Disposable.from(heard, changed).dispose();
      clearTimeout(this.#timer);
    });
  }

  async #hear(said: FromPage): Promise<void> {
    if (said.kind === "enable") await this.#enable(said);
    await this.#refresh();
  }

  async #enable({ role, feature }: { role: string; feature: string }): Promise<void> {
    const shown = this.#figures.lines.some((line) => line.role === role && line.feature === feature && line.state === "demoted");
    if (!shown) return;
    await turnOn(this.ibid, role, feature);
  }

  #refreshSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#refresh(), 400);
  }

  /* A failure is told on the page itself, above the last figures. */
  async #refresh(): Promise<void> {
    let trouble = "";
    try {
      this.#figures = figuresOf(await this.ibid.ask(wire.report, { days: daysShown }));
    } catch (error) {
      trouble = error instanceof Error ? error.message : String(error);
    }
    const message: ToPage = {
      kind: "figures",
      figures: this.#figures,
      project: clean(this.ibid.folder?.name ?? "", 80),
      locale: vscode.env.language,
      words: vscode.l10n.bundle ?? {},
      trouble,
    };
    await this.#panel?.webview.postMessage(message);
  }

  #html(webview: vscode.Webview): string {
    const nonce = randomBytes(16).toString("base64url");
    const file = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(this.#files, name)).toString();
    const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'`;
    return `<!DOCTYPE html>
<html lang="${vscode.env.language.replace(/[^\w-]/g, "")}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<title>Ibid</title>
<link rel="stylesheet" href="${file("net.css")}">
</head>
<body>
<main></main>
<script nonce="${nonce}" src="${file("main.js")}"></script>
</body>
</html>`;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#revived.dispose();
    this.#panel?.dispose();
  }
}

/** Turns a switched-off feature back on for a role, and says so (P3). */
export async function turnOn(ibid: Ibid, role: string, feature: string): Promise<void> {
  await ibid.ask(wire.report, { enable: feature, role });
  ibid.touched(["receipts", "policy"]);
  const said = vscode.l10n.t("{0} is on again for {1}, from its next session on.", noLinks(feature, 40), noLinks(role, 40));
  void vscode.window.showInformationMessage(said);
}
