/** Opening what a row leads to: the server's documents and places in files. */
import * as vscode from "vscode";

import type { Ibid } from "./context";
import type { Target } from "./rows";

/** Opens a target as a preview, the server's documents as Markdown source. */
export async function openTarget(ibid: Ibid, target: Target): Promise<void> {
  if (target.kind === "document") return openDocument(ibid, target.uri);
  const root = ibid.folder?.uri;
  if (root === undefined) return;
  const uri = isAbsolute(target.path) ? vscode.Uri.file(target.path) : vscode.Uri.joinPath(root, target.path);
  const at = new vscode.Position(Math.max(0, (target.line ?? 1) - 1), 0);
  await vscode.window.showTextDocument(uri, { preview: true, selection: new vscode.Range(at, at) });
}

export async function openDocument(ibid: Ibid, uri: string): Promise<void> {
  await ibid.ready();
  const document = await opened(vscode.Uri.parse(uri, true));
  await vscode.window.showTextDocument(document, { preview: true });
}

/* What the server said, without the editor's words around it. */
async function opened(uri: vscode.Uri): Promise<vscode.TextDocument> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw new Error(/Detail: ([^]+)$/.exec(said)?.[1] ?? said, { cause: error });
  }
}

/* Never rendered: an image in a rendered note could call out.  Source shows all. */
export function asMarkdown(document: vscode.TextDocument): void {
  if (document.uri.scheme === "ibid" && document.languageId === "plaintext") {
    void vscode.languages.setTextDocumentLanguage(document, "markdown");
  }
}

function isAbsolute(path: string): boolean {
  return path.startsWith("/") || /^[a-z]:[\\/]/i.test(path);
}
