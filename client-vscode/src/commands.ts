/** What a person can call: one table from command to function. */
import * as vscode from "vscode";

import type { Ibid } from "./context";
import type { CurrentFile } from "./current";
import { guard } from "./guard";
import type { Pages } from "./pages";
import type * as wire from "./protocol";
import type { TouchedFile } from "./reading";
import type { StatusBar } from "./status";
import { accountVerbs } from "./verbs/accounts";
import { editingVerbs } from "./verbs/editing";
import { findingVerbs } from "./verbs/finding";
import { handingVerbs } from "./verbs/handing";
import { noteVerbs } from "./verbs/notes";
import { projectVerbs } from "./verbs/projects";
import { queueVerbs } from "./verbs/queue";
import { readingVerbs } from "./verbs/reading";
import { reportingVerbs } from "./verbs/reporting";
import { serverVerbs } from "./verbs/server";
import { sessionVerbs } from "./verbs/sessions";
import type { Archive } from "./views/archive";
import type { NetPage } from "./views/netpage";
import type { Notes } from "./views/notes";
import type { Queue } from "./views/queue";
import type { Tree } from "./views/tree";

/** All there is in a window: what the functions behind the commands work with. */
export interface Parts {
  readonly ibid: Ibid;
  readonly statusBar: StatusBar;
  readonly queue: Queue;
  readonly notes: Notes;
  readonly receipts: Tree<wire.Receipt>;
  readonly sessions: Tree<wire.Session>;
  readonly net: Tree<wire.NetLine>;
  readonly netPage: NetPage;
  readonly pages: Pages;
  readonly archive: Archive;
  readonly reads: Tree<TouchedFile>;
  /** What agents have seen of the file in front. */
  readonly current: CurrentFile;
}

export type Verb = (...args: never[]) => unknown;
export type Verbs = Readonly<Record<`ibid.${string}`, Verb>>;

/** Registers every command at once, before anything is waited for. */
export function registerCommands(parts: Parts): vscode.Disposable {
  const table: Verbs = {
    ...queueVerbs(parts),
    ...noteVerbs(parts),
    ...editingVerbs(parts),
    ...handingVerbs(parts),
    ...accountVerbs(parts),
    ...findingVerbs(parts),
    ...readingVerbs(parts),
    ...reportingVerbs(parts),
    ...sessionVerbs(parts),
    ...projectVerbs(parts),
    ...serverVerbs(parts),
  };
  const registered = Object.entries(table).map(([id, verb]) =>
    vscode.commands.registerCommand(id, (...args: unknown[]) => guard(parts.ibid, () => verb(...(args as never[])))),
  );
  return vscode.Disposable.from(...registered);
}
