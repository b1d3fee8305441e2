/**
 * Ibid's MCP server for the agents of this editor, without any file being written.
 *
 * Never from two places (docs/protocol.md): where the workspace, the person's own list
 * or another agent's settings that the editor reads have it already, none is offered.
 */
import * as vscode from "vscode";

import type { Ibid } from "./context";
import * as wire from "./protocol";
import { hasIbid, startsIbid } from "./registered";

const providerId = "ibid";

export class Tools implements vscode.McpServerDefinitionProvider<vscode.McpStdioServerDefinition>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscriptions: vscode.Disposable[];
  #said = "";

  readonly onDidChangeMcpServerDefinitions = this.#changed.event;

  constructor(
    private readonly ibid: Ibid,
    private readonly storage: vscode.Uri,
  ) {
    const again = (): void => {
      this.#changed.fire();
    };
    const files = vscode.workspace.createFileSystemWatcher("**/.vscode/mcp.json");
    this.#subscriptions = [
      files,
      files.onDidCreate(again),
      files.onDidChange(again),
      files.onDidDelete(again),
      ibid.onDidChangeHealth(again),
      ibid.onDidChooseFolder(again),
      vscode.workspace.onDidGrantWorkspaceTrust(again),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (["ibid.mcp", "mcp", "chat.mcp"].some((section) => event.affectsConfiguration(section))) again();
      }),
      vscode.lm.registerMcpServerDefinitionProvider(providerId, this),
    ];
  }

  async provideMcpServerDefinitions(): Promise<vscode.McpStdioServerDefinition[]> {
    const why = await this.#whyNot();
    const { server, folder } = this.ibid;
    if (why === undefined && server !== undefined && folder !== undefined) {
      const definition = new vscode.McpStdioServerDefinition(
        "Ibid",
        server.command,
        [...server.args.slice(0, -1), "mcp", "--project", folder.uri.fsPath],
        {},
        this.ibid.version,
      );
      definition.cwd = folder.uri;
      this.#say(`The MCP server is offered for ${folder.uri.fsPath}`);
      return [definition];
    }
    this.#say(`The MCP server is not offered: ${why ?? "there is no server"}`);
    return [];
  }

  /* The editor asks often; the log says it once. */
  #say(what: string): void {
    if (this.#said !== what) this.ibid.log.info(what);
    this.#said = what;
  }

  async #whyNot(): Promise<string | undefined> {
    if (!vscode.workspace.getConfiguration("ibid").get<boolean>("mcp.enabled", true)) return "it is switched off";
    if (!vscode.workspace.isTrusted) return "the workspace is not trusted";
    try {
      await this.ibid.ready();
    } catch {
      return "the language server is not running";
    }
    return this.#registeredIn();
  }

  /** Says which list has Ibid's server already; undefined if none. */
  async #registeredIn(): Promise<string | undefined> {
    for (const file of this.#lists()) {
      if (startsIbid(await contents(file))) return `${file.fsPath} has it`;
    }
    const servers = vscode.workspace.getConfiguration("mcp").get<unknown>("servers");
    if (hasIbid({ servers })) return "the settings have it";
    return (await this.#discovered()) ? "Cursor's settings, which the editor reads too, have it" : undefined;
  }

  /* The workspace's lists, and the person's own of this profile. */
  #lists(): vscode.Uri[] {
    const folders = vscode.workspace.workspaceFolders ?? [];
    return [
      ...folders.map((folder) => vscode.Uri.joinPath(folder.uri, ".vscode", "mcp.json")),
      vscode.Uri.joinPath(this.storage, "..", "..", "mcp.json"),
    ];
  }

  /* The editor can take over Cursor's list; whether ours is in it, the server knows. */
  async #discovered(): Promise<boolean> {
    const discovery = vscode.workspace.getConfiguration("chat.mcp").get<unknown>("discovery.enabled");
    const cursor = (discovery as Record<string, unknown> | undefined)?.["cursor-global"];
    if (discovery !== true && cursor !== true) return false;
    const { agents } = await this.ibid.ask(wire.doctor, {}, { patient: true });
    return agents.some(({ agent, installed }) => agent === "cursor" && installed);
  }

  dispose(): void {
    for (const one of this.#subscriptions) one.dispose();
    this.#changed.dispose();
  }
}

async function contents(file: vscode.Uri): Promise<string> {
  try {
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
  } catch {
    return "";
  }
}
