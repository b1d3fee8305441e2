/** What agents have seen of the file in the active editor (N7), asked for when it changes. */
import * as vscode from "vscode";

import type { Ibid } from "./context";
import * as wire from "./protocol";
import type { FileHistory } from "./reading";

/** A file and its history, or no history while that is not known. */
export interface Seen {
  readonly uri: vscode.Uri;
  readonly project: string;
  readonly history: FileHistory | undefined;
}

const pause = 250;

/** Follows the active editor; a file of no open folder is nobody's. */
export class CurrentFile implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscriptions: vscode.Disposable[];
  #seen: Seen | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  readonly onDidChange = this.#changed.event;

  constructor(private readonly ibid: Ibid) {
    this.#subscriptions = [
      vscode.window.onDidChangeActiveTextEditor(() => {
        this.#follow();
      }),
      vscode.workspace.onDidSaveTextDocument((document) => {
        if (document.uri.toString() === this.#seen?.uri.toString()) this.#askSoon();
      }),
      ibid.onDidChangeMemory((kinds) => {
        if (kinds.includes("turns")) this.#askSoon();
      }),
    ];
    this.#follow();
  }

  get seen(): Seen | undefined {
    return this.#seen;
  }

  /* A panel or a document of ours in front changes nothing: the file is still meant. */
  #follow(): void {
    const uri = vscode.window.activeTextEditor?.document.uri;
    if (uri?.scheme === "file") this.show(uri);
  }

  /** Shows a file, whether it is in front or not. */
  show(uri: vscode.Uri): void {
    if (uri.toString() === this.#seen?.uri.toString()) return;
    const folder = vscode.workspace.getWorkspaceFolder(uri);
    this.#seen = folder === undefined ? undefined : { uri, project: folder.uri.fsPath, history: undefined };
    this.#changed.fire();
    if (folder !== undefined) this.#askSoon();
  }

  #askSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#ask(), pause);
  }

  async #ask(): Promise<void> {
    const asked = this.#seen;
    if (asked === undefined) return;
    const { uri, project } = asked;
    try {
      const history = await this.ibid.ask(wire.reads, { project, path: uri.fsPath });
      if (this.#seen?.uri.toString() !== uri.toString()) return;
      this.#seen = { uri, project, history };
      this.#changed.fire();
    } catch (error) {
      this.ibid.log.debug(`ibid/reads: ${String(error)}`);
    }
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const one of this.#subscriptions) one.dispose();
    this.#changed.dispose();
  }
}
