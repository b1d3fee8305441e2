/**
 * The one client of this window: its life, its health, and how it is asked.
 *
 * All starts, first or again, asked for or after a crash, go through one queue, so
 * that two servers never run for one window.  Nothing here knows a view.
 */
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  ErrorCodes,
  LanguageClient,
  RevealOutputChannelOn,
  Trace,
  WorkDoneProgress,
  type LanguageClientOptions,
  type RequestType,
  type WorkspaceEdit,
} from "vscode-languageclient/node";

import { noLinks } from "./labels";
import { locate, sameVersion, type Found } from "./locate";
import * as wire from "./protocol";
import { CrashLimit, Pulse, SingleFlight } from "./restart";
import { wireAddress } from "./rows";
import { surroundings } from "./surroundings";

/** What a person needs to know about the server; `none` means no folder is open. */
export type Health = "none" | "starting" | "running" | "slow" | "dead" | "missing";

const everything: readonly wire.Changed[] = ["notes", "candidates", "receipts", "turns", "policy"];

/** Thrown by {@link Ibid.ask} when there is no server to ask. */
export class ServerDown extends Error {
  constructor(
    readonly health: Health,
    message: string,
  ) {
    super(message);
  }
}

/* Errors go to the log alone: what a person has to know is said once, by us. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

export class Ibid implements vscode.Disposable {
  readonly log = vscode.window.createOutputChannel("Ibid", { log: true });
  readonly version: string;
  /** Why there is no server, or how to get it. */
  reason = "";
  /** The command that installs the server, once it was found missing. */
  install = "";
  /** How the server was started last; its last argument says as what. */
  server: Found | undefined;

  readonly #health = new vscode.EventEmitter<Health>();
  readonly #memory = new vscode.EventEmitter<readonly wire.Changed[]>();
  readonly #chosen = new vscode.EventEmitter<void>();
  readonly #flight = new SingleFlight(() => this.#cycle());
  readonly #crashes = new CrashLimit();
  readonly #pulse = new Pulse((slow) => {
    if (this.#state === "running" || this.#state === "slow") this.#become(slow ? "slow" : "running");
  });
  readonly #subscriptions: vscode.Disposable[] = [];
  #client: LanguageClient | undefined;
  #state: Health = "none";
  #project: vscode.WorkspaceFolder | undefined;
  #disposed = false;

  readonly onDidChangeHealth = this.#health.event;
  readonly onDidChangeMemory = this.#memory.event;
  readonly onDidChooseFolder = this.#chosen.event;

  constructor(private readonly extension: vscode.ExtensionContext) {
    this.version = String((extension.extension.packageJSON as { version: unknown }).version);
    this.#tell();
    this.#subscriptions.push(
      vscode.workspace.onDidChangeConfiguration((event) => {
        this.#configure(event);
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => void this.restart()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        this.#foldersChanged();
      }),
    );
  }

  get health(): Health {
    return this.#state;
  }

  /** The folder whose memory is shown: the first one until a person chooses. */
  get folder(): vscode.WorkspaceFolder | undefined {
    return this.#project ?? vscode.workspace.workspaceFolders?.[0];
  }

  /** The project to name in documents, which mean the first folder by themselves. */
  get otherProject(): string | undefined {
    const folder = this.folder;
    return folder === vscode.workspace.workspaceFolders?.[0] ? undefined : folder?.uri.fsPath;
  }

  /** A project to name in a document's address: none for the first folder. */
  elsewhere(project: string | undefined): string | undefined {
    const first = vscode.workspace.workspaceFolders?.[0]?.uri;
    if (project === undefined || project === first?.fsPath || project === first?.toString()) return undefined;
    return project;
  }

  /** Says that something of memory was changed here, without waiting to be told. */
  touched(kinds: readonly wire.Changed[]): void {
    this.#memory.fire(kinds);
  }

  /** Shows another folder's memory from now on. */
  choose(folder: vscode.WorkspaceFolder): void {
    this.#project = folder;
    this.#chosen.fire();
    this.touched(everything);
  }

  /** Settles when the server can be asked; throws `ServerDown` if it cannot. */
  async ready(): Promise<void> {
    await this.#running();
  }

  /** Starts the server anew; settles when that attempt is over, well or not. */
  async restart(): Promise<void> {
    this.#crashes.forgive();
    await this.#flight.run();
  }

  /**
   * Asks the server about the shown project.
   *
   * Waits for a start that is under way.  `patient` requests may take long without
   * the server being called slow.
   *
   * Throws `ServerDown` if there is no server, and what the server answered with.
   */
  async ask<P extends wire.Scoped, R>(
    type: RequestType<P, R, unknown>,
    params: P,
    how: { token?: vscode.CancellationToken; patient?: boolean } = {},
  ): Promise<R> {
    const client = await this.#running();
    const project = params.project ?? this.folder?.uri.fsPath;
    const asked: P = project === undefined ? params : { ...params, project };
    const answer = client.sendRequest<P, R, unknown>(type, asked as never, how.token);
    return how.patient === true ? answer : this.#pulse.track(answer);
  }

  /** The client while it runs, for what needs its own progress or converters. */
  async #running(): Promise<LanguageClient> {
    if (this.#state === "starting") await this.#flight.settled();
    if (this.#client?.isRunning() === true) return this.#client;
    throw new ServerDown(this.#state, this.reason);
  }

  /** Follows a request's progress, in per cent where the server knows it. */
  onProgress(
    token: string,
    report: (message: string | undefined, percentage: number | undefined) => void,
  ): vscode.Disposable {
    const client = this.#client;
    if (client === undefined) return new vscode.Disposable(() => undefined);
    return client.onProgress(WorkDoneProgress.type, token, (value) => {
      report(value.message, value.kind === "end" ? 100 : value.percentage);
    });
  }

  /** Turns an edit of the server's into the editor's, with what it wants confirmed. */
  async toEdit(edit: WorkspaceEdit): Promise<vscode.WorkspaceEdit> {
    const client = await this.#running();
    return client.protocol2CodeConverter.asWorkspaceEdit(edit);
  }

  async #cycle(): Promise<void> {
    await this.#stop();
    if (this.#disposed) return;
    if ((vscode.workspace.workspaceFolders ?? []).length === 0) {
      this.#become("none");
      return;
    }
    this.#become("starting");
    const server = await locate(surroundings(this.log));
    this.server = server.kind === "found" ? server : undefined;
    if (server.kind === "missing") {
      this.install = server.install;
      this.reason =
        server.wrongSetting === null
          ? vscode.l10n.t("Ibid's server was not found.")
          : vscode.l10n.t("The setting ibid.server.path names {0}, which cannot be run.", server.wrongSetting);
      this.log.warn(this.reason);
      this.#become("missing");
      return;
    }
    await this.#launch(server);
  }

  async #launch(server: Found): Promise<void> {
    this.log.info(`Starting ${server.command} ${server.args.join(" ")} (found by ${server.via})`);
    const client = this.#create(server);
    this.#client = client;
    try {
      await client.start();
    } catch (error) {
      if (this.#client === client) this.#fail(whyNotStarted(error));
      return;
    }
    const info = client.initializeResult?.serverInfo;
    if (info?.name !== "ibid") {
      this.#fail(vscode.l10n.t("{0} is not Ibid's server.", server.command));
      await this.#stop();
      return;
    }
    await client.setTrace(traceSetting());
    this.#become("running");
    this.touched(everything);
    this.#compareVersions(info.version ?? "");
  }

  #create(server: Found): LanguageClient {
    let ran = false;
    const options: LanguageClientOptions = {
      documentSelector: [{ scheme: "file" }],
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: { commands: wire.offeredCommands, ...shownInText() },
      uriConverters: {
        code2Protocol: (uri) => (uri.scheme === "ibid" ? wireAddress(uri.toString(), uri.query) : uri.toString()),
        protocol2Code: (text) => vscode.Uri.parse(text),
      },
      markdown: { isTrusted: { enabledCommands: wire.offeredCommands }, supportHtml: false },
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => {
          if (ran && this.#client === client) this.#crashed();
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
    };
    const client: LanguageClient = new QuietClient("ibid", "Ibid", { command: server.command, args: [...server.args] }, options);
    client.onNotification(wire.memoryChanged, ({ kinds }) => {
      this.#memory.fire(kinds);
    });
    client.onNotification(wire.turnRecalled, () => {
      this.#memory.fire(["receipts"]);
    });
    client.onNotification(wire.candidateSettled, () => {
      this.#memory.fire(["candidates", "notes"]);
    });
    client.onDidChangeState(() => {
      ran ||= client.isRunning();
    });
    return client;
  }

  async #stop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    this.#pulse.reset();
    if (client === undefined) return;
    try {
      // A server that hangs is killed when this time is over.
      await client.dispose(2000);
    } catch (error) {
      this.log.warn(`The server did not stop by itself: ${String(error)}`);
    }
  }

  #crashed(): void {
    this.#pulse.reset();
    if (this.#crashes.mayRestart()) {
      this.log.warn("The server ended unexpectedly; starting it again.");
      this.#become("starting");
      void this.#flight.run();
    } else {
      this.#fail(vscode.l10n.t("Ibid's server ended five times in three minutes."));
    }
  }

  #fail(reason: string): void {
    this.reason = reason;
    this.log.error(`The server is not running: ${reason}`);
    this.#become("dead");
  }

  #become(health: Health): void {
    if (this.#state === health || this.#disposed) return;
    this.#state = health;
    this.#tell();
    this.#health.fire(health);
  }

  /* From the first moment on: without a folder nothing would say what to do. */
  #tell(): void {
    void vscode.commands.executeCommand("setContext", "ibid.health", this.#state);
  }

  #compareVersions(server: string): void {
    if (sameVersion(this.version, server)) return;
    this.log.warn(`Server ${server} and extension ${this.version} are of different versions.`);
    const key = `versions ${this.version} ${server}`;
    if (this.extension.globalState.get(key) === true) return;
    void this.extension.globalState.update(key, true);
    void vscode.window.showWarningMessage(
      vscode.l10n.t(
        "Ibid's server is version {0}, this extension {1}. Update the older one if something misbehaves.",
        noLinks(server, 40),
        this.version,
      ),
    );
  }

  #configure(event: vscode.ConfigurationChangeEvent): void {
    if (event.affectsConfiguration("ibid.trace.server")) void this.#client?.setTrace(traceSetting());
    const matters = ["ibid.server", "ibid.lens", "ibid.hover", "ibid.staleNotes"];
    if (matters.some((section) => event.affectsConfiguration(section))) void this.restart();
  }

  #foldersChanged(): void {
    const folders = vscode.workspace.workspaceFolders ?? [];
    if (this.#project !== undefined && !folders.includes(this.#project)) this.#project = undefined;
    this.#chosen.fire();
    if (this.#state === "none" || folders.length === 0) void this.restart();
    else this.touched(everything);
  }

  /** Stops the server; the returned promise is what `deactivate` waits for. */
  async shutDown(): Promise<void> {
    this.#disposed = true;
    await this.#stop();
  }

  dispose(): void {
    void this.shutDown();
    for (const one of this.#subscriptions) one.dispose();
    this.#health.dispose();
    this.#memory.dispose();
    this.#chosen.dispose();
    this.log.dispose();
  }
}

/* An end during the start shows as a pending answer that was given up. */
function whyNotStarted(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  const ended: unknown[] = [ErrorCodes.PendingResponseRejected, ErrorCodes.ConnectionInactive];
  if (ended.includes(code)) return vscode.l10n.t("It ended while it was starting.");
  return error instanceof Error ? error.message : String(error);
}

/* What the server shows in the text: each kind has its switch (R4). */
function shownInText(): Record<string, boolean | number> {
  const settings = vscode.workspace.getConfiguration("ibid");
  return {
    lenses: settings.get<boolean>("lens.enabled", true),
    lensNotes: settings.get<boolean>("lens.notes", true),
    lensReads: settings.get<boolean>("lens.reads", true),
    lensRecall: settings.get<boolean>("lens.recall", true),
    lensDays: settings.get<number>("lens.days", 7),
    hovers: settings.get<boolean>("hover.enabled", true),
    staleNotes: settings.get<boolean>("staleNotes.enabled", true),
  };
}

function traceSetting(): Trace {
  return Trace.fromString(vscode.workspace.getConfiguration("ibid").get("trace.server", "off"));
}
