/**
 * The wire, typed: a mirror of docs/protocol.md, which tests compare with this file.
 * Its objects are in `objects.ts`.
 */
import { NotificationType, RequestType, type WorkspaceEdit } from "vscode-languageclient/node";

import type {
  Candidate,
  Category,
  Doctor,
  Hit,
  Imported,
  Layer,
  Note,
  NoteSort,
  NoteView,
  Policies,
  Policy,
  Preset,
  Project,
  RecalledItem,
  Receipt,
  Replayed,
  Report,
  Session,
  Source,
  Status,
} from "./objects";
import type { EndedEpoch, FileHistory, ReadAnswer, TouchedFile } from "./reading";

export * from "./objects";

// -- requests --------------------------------------------------------------------

/** Every request may say whose memory it means. */
export interface Scoped {
  project?: string;
}
export interface Paged {
  limit?: number;
  offset?: number;
}
interface Id {
  id: string;
}
export interface Handoff {
  session: string;
  text: string;
  tokens: number;
  /** Where it was written below the project, if it was. */
  path: string | null;
}

interface Versioned extends Id {
  version?: number;
}

function request<P extends object, R>(method: string): RequestType<P & Scoped, R, unknown> {
  return new RequestType<P & Scoped, R, unknown>(method);
}

export const status = request<object, Status>("ibid/status");
export const recall = request<
  { prompt: string; session?: string; agent?: string; role?: string },
  {
    block: string | null;
    tokens: number;
    items: RecalledItem[];
    receipt: string | null;
    earlierWork: boolean;
    reason: string | null;
  }
>("ibid/recall");
export const search = request<
  Paged & { query: string; layers?: Layer[]; archive?: boolean; path?: string },
  { hits: Hit[]; total: number; reason: string | null }
>("ibid/search");

export const read = request<
  {
    path: string;
    session?: string;
    scope?: string | null;
    agent?: string;
    range?: [first: number, last: number] | null;
    fresh?: boolean;
    limit?: number;
    text?: string | null;
  },
  ReadAnswer
>("ibid/read");
export const reads = request<Paged & { path: string }, FileHistory>("ibid/reads");
export const files = request<Paged, { files: TouchedFile[]; total: number }>("ibid/reads");

interface Reader {
  session: string;
  scope?: string | null;
  agent?: string;
  reason?: string;
}

export const context = {
  compacted: request<Reader, EndedEpoch>("ibid/context/compacted"),
  reset: request<Reader, EndedEpoch>("ibid/context/reset"),
} as const;

export const note = {
  list: request<
    Paged & { view?: NoteView; sort?: NoteSort; query?: string; path?: string },
    { notes: Note[]; total: number; counts: Partial<Record<NoteView, number>> }
  >("ibid/note/list"),
  add: request<
    {
      text: string;
      category?: Category;
      pinned?: boolean;
      role?: string;
      path?: string;
      symbol?: string;
      tags?: string[];
    },
    Note
  >("ibid/note/add"),
  edit: request<Versioned & { text?: string; category?: Category; tags?: string[] }, Note>(
    "ibid/note/edit",
  ),
  correct: request<Versioned & { text: string }, Note>("ibid/note/correct"),
  pin: request<Id, Note>("ibid/note/pin"),
  unpin: request<Id, Note>("ibid/note/unpin"),
  forget: request<Id, Note>("ibid/note/forget"),
  restore: request<Id, Note>("ibid/note/restore"),
  /** "Still true": the code it names, in `path` or everywhere, counts as it is now. */
  confirm: request<Id & { path?: string }, Note>("ibid/note/confirm"),
  delete: request<Id & { said?: boolean; file?: boolean }, { id: string; job: string | null; waits?: string | null }>(
    "ibid/note/delete",
  ),
  share: request<{ on?: boolean }, { folders: string[]; shared: boolean }>("ibid/note/share"),
  evidence: request<
    Id & { reveal?: boolean },
    {
      sources: (Source & { text: string | null; available: boolean })[];
      history: { text: string; at: number; why: string }[];
    }
  >("ibid/note/evidence"),
  usage: request<Id, { receipts: Receipt[] }>("ibid/note/usage"),
} as const;

export const candidate = {
  list: request<
    Paged & { query?: string; state?: Candidate["state"] },
    { candidates: Candidate[]; total: number; digest: { expired: number } }
  >("ibid/candidate/list"),
  accept: request<Id & { pinned?: boolean }, Note>("ibid/candidate/accept"),
  edit: request<Versioned & { text: string; category?: Category }, Candidate>(
    "ibid/candidate/edit",
  ),
  reject: request<Id, Candidate>("ibid/candidate/reject"),
  snooze: request<Id & { until: "day" | "session" }, Candidate>("ibid/candidate/snooze"),
  restore: request<Id, Candidate>("ibid/candidate/restore"),
} as const;

export const receipt = {
  list: request<
    Paged & { session?: string; note?: string },
    { receipts: Receipt[]; total: number }
  >("ibid/receipt/list"),
  show: request<Id, Receipt>("ibid/receipt/show"),
} as const;

export const session = {
  list: request<Paged, { sessions: Session[]; total: number }>("ibid/session/list"),
  delete: request<{ session: string }, { session: string; job: string | null; waits?: string | null }>(
    "ibid/session/delete",
  ),
  preset: request<
    { session?: string; agent?: string; preset: Preset },
    { session: string | null; preset: Preset; read: string; write: string }
  >("ibid/session/preset"),
} as const;

export const handoff = {
  preview: request<{ session?: string }, Handoff>("ibid/handoff/preview"),
  write: request<{ session?: string }, Handoff>("ibid/handoff/write"),
} as const;

export const claim = request<
  { session?: string; paths?: string[]; release?: boolean },
  { claims: { path: string; session: string; agent: string; at: number }[] }
>("ibid/claim");

export const instructions = {
  preview: request<
    { file?: string; notes?: string[]; handoff?: boolean },
    {
      path: string;
      exists: boolean;
      before: string;
      after: string;
      diff: string;
      edit: WorkspaceEdit;
    }
  >("ibid/instructions/preview"),
} as const;

export const policy = {
  get: request<object, Policies>("ibid/policy/get"),
  set: request<
    { scope: "global" | "project"; name: keyof Policy; value: boolean | string | number | null },
    Policies
  >("ibid/policy/set"),
} as const;

export const importSessions = request<
  { paths?: string[]; agents?: string[]; workDoneToken?: string },
  Imported
>("ibid/import");
export const exportSession = request<
  { session: string },
  { files: { name: string; base64: string; bytes: number; cut: boolean }[] }
>("ibid/export");
export const verify = request<
  object,
  {
    ok: boolean;
    problems: { what: string; where: string; next: string }[];
  }
>("ibid/verify");
/** How Ibid, its agents and what is beside it are doing; `allow` lets a rival be. */
export const doctor = request<{ allow?: string }, Doctor>("ibid/doctor");
/** The whole text behind a handle, a number such as `#412`, or a turn. */
export const expand = request<
  { handle: string; reveal?: boolean; lines?: [number, number] | null; head?: number; tail?: number; find?: string },
  {
    text?: string;
    base64?: string;
    bytes: number;
    state: "hot" | "cold";
    redacted: boolean;
    title: string;
    total: number;
    parts: [number, number][];
  }
>("ibid/expand");

/** What memory cost and saved, per role and feature: the net, which may be negative. */
export const report = request<
  { enable?: string; role?: string; days?: number },
  Report
>("ibid/report");

/** What memory would have cost and saved in past sessions; takes its time. */
export const replay = request<
  { paths?: string[]; workDoneToken?: string },
  Replayed
>("ibid/replay");

export const projects = request<object, { projects: Project[] }>("ibid/project/list");

export const includeProject = request<{ other: string; included: boolean }, Project>("ibid/project/include");

export const linkProject = request<{ path: string; target?: string | null }, { path: string; name: string }>(
  "ibid/project/link",
);

export const moveProject = request<{ old: string; new: string }, { path: string; name: string }>("ibid/project/move");

// -- notifications ---------------------------------------------------------------

export type Changed = "notes" | "candidates" | "receipts" | "turns" | "policy";

export const memoryChanged = new NotificationType<{ project: string; kinds: Changed[] }>(
  "ibid/memoryChanged",
);
export const turnRecalled = new NotificationType<{
  project: string;
  receipt: string;
  session: string;
  tokens: number;
  items: number;
}>("ibid/turnRecalled");
export const candidateSettled = new NotificationType<{
  project: string;
  candidate: string;
  note: string;
}>("ibid/candidateSettled");

// -- errors ----------------------------------------------------------------------

/** `data.code` of an answer that is an error. */
export type ErrorCode =
  | "invalid"
  | "notFound"
  | "ambiguous"
  | "conflict"
  | "gone"
  | "disabled"
  | "store"
  | "storeBusy"
  | "storeCorrupt"
  | "storeReadOnly"
  | "storeTooNew"
  | "failed";

/** The name of a server's error, or undefined for anything else that was thrown. */
export function errorCode(error: unknown): ErrorCode | undefined {
  const data = (error as { data?: { code?: unknown } } | null)?.data;
  return typeof data?.code === "string" ? (data.code as ErrorCode) : undefined;
}

/** What the server may put into lenses and hovers: client commands a click may run. */
export const offeredCommands = [
  "ibid.openNotes",
  "ibid.showEvidence",
  "ibid.correctNote",
  "ibid.forgetNote",
  "ibid.openReads",
  "ibid.openRecall",
] as const;
