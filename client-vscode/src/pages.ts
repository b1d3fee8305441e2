/** Read-only documents of this window's own making: reports a person asked for. */
import * as vscode from "vscode";

const scheme = "ibid-report";

/** Keeps the last report of each kind; showing it anew replaces the text in place. */
export class Pages implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #registered = vscode.workspace.registerTextDocumentContentProvider(scheme, this);

  readonly onDidChange = this.#changed.event;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.path) ?? "";
  }

  /** Shows a text as Markdown source: nothing in it is rendered or can act. */
  async show(title: string, text: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme, path: `/${title}.md` });
    this.#texts.set(uri.path, text);
    this.#changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true });
  }

  dispose(): void {
    this.#registered.dispose();
    this.#changed.dispose();
  }
}
