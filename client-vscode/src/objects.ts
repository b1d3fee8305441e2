/**
 * The objects on the wire, as docs/protocol.md lists them.  Times are milliseconds since
 * the epoch; absent things are null.
 */

export type Layer = "L0" | "L1" | "L2" | "L3";
export type Category = "constraint" | "preference" | "decision" | "fact" | "episode" | "profile";

export interface Source {
  session: string;
  turn: number;
  message: string | null;
  title: string | null;
  agent: string | null;
  at: number | null;
}

export interface Anchor {
  path: string;
  symbol: string | null;
  line: number | null;
  state: "fresh" | "changed" | "gone";
}

export interface Note {
  id: string;
  layer: Layer;
  category: Category;
  text: string;
  /** Of an episode, what was asked; its text is the outcome. */
  request?: string | null;
  confidence: number;
  origin: "automatic" | "manual" | "agent" | "correction" | "file" | "profile";
  author: string | null;
  role: string | null;
  tags: string[];
  pinned: boolean;
  active: boolean;
  state: "active" | "forgotten" | "superseded" | "quarantined" | "dormant";
  taint: boolean;
  created: number;
  updated: number;
  used: number | null;
  uses: number;
  sources: Source[];
  supersedes: string | null;
  conflicts: string | null;
  reason: string | null;
  anchors: Anchor[];
  /** Its file below the project, when it has one. */
  file?: string | null;
  version: number;
}

export interface Candidate {
  id: string;
  category: Category;
  text: string;
  signal: string;
  /** Null for what an agent proposed outside of any known turn. */
  source: Source | null;
  at: number;
  due: number | null;
  left: number | null;
  state: "pending" | "snoozed" | "accepted" | "rejected" | "expired" | "withdrawn";
  waits:
    | "settling"
    | "review"
    | "history"
    | "taint"
    | "sensitive"
    | "held"
    | "snoozed"
    | "agent";
  reason: string | null;
  resembles: string | null;
  /** A note file that Ibid did not write and a person is to look at. */
  file?: string | null;
  taint: boolean;
  version: number;
}

export interface RecalledItem {
  id: string;
  layer: Layer;
  category: Category | null;
  score: number;
  text: string;
  source: Source | null;
  /** The root of another project that it is of, and how that is called. */
  project?: string | null;
  projectName?: string | null;
}

export interface Project {
  path: string;
  name: string;
  bytes: number;
  /** The projects that its recall uses, too. */
  includes: { path: string; name: string; missing: boolean }[];
}

export interface Receipt {
  id: string;
  kind: "block" | "pins" | "hint" | "handoff";
  session: string;
  turn: number | null;
  agent: string | null;
  role: string | null;
  at: number;
  query: string | null;
  tokens: number;
  estimator: string;
  layers: Record<string, number>;
  items: RecalledItem[];
  text?: string | null;
  erased: boolean;
  /** `withheld`: the control group's; nothing was sent. `asked`: not by itself. */
  control: "given" | "withheld" | "asked" | null;
}

export interface Hit extends Omit<RecalledItem, "layer" | "category"> {
  layer: Layer | "archive";
  /** Of a message its author's role, of an archived text what it is the output of. */
  category: Category | (string & {}) | null;
  handle: string | null;
  matched: "all" | "some" | "spelling";
}

export type Preset = "default" | "memory-on" | "recall-only" | "private" | "learn-only";

export interface Session {
  session: string;
  agent: string;
  role: string | null;
  title: string | null;
  at: number;
  turns: number;
  state: string;
  preset: Preset | "custom";
  kept: boolean;
  /** Features that the control group withholds from it. */
  control: string[];
}

export interface Policy {
  master: boolean | null;
  learn: boolean | null;
  recall: boolean | null;
  external: "on" | "own" | "off" | null;
  promotion: "auto" | "review" | null;
  history: "wait" | "auto" | null;
  files: boolean | null;
  editor: boolean | null;
  hint: "on" | "session" | "off" | null;
  settling: number | null;
  budget: number | null;
  control: number | null;
}

export interface Policies {
  global: Policy;
  project: Policy;
  effective: Policy;
}

export interface Status {
  project: string;
  name: string;
  state: "on" | "learning" | "recalling" | "off" | "readOnly" | "refused";
  candidates: number;
  notes: number;
  receipts: number;
  sessions: number;
  /** What memory saved by measure, in tokens; absent from older servers. */
  net?: number | null;
  importing: boolean;
  message: string | null;
}

export interface Imported {
  sessions: number;
  turns: number;
  episodes: number;
  candidates: number;
  archived: number;
  reads: number;
  skippedLines: number;
  unknownKinds: Record<string, number>;
  bytes: number;
  seconds: number;
  problems?: unknown[];
}

/** Estimated tokens of a replay; `most` is what could have been spared at most. */
export interface ReplaySums {
  gross: number;
  bounced: number;
  cost: number;
  net: number;
  most: number;
}

/** What a feature would have cost and saved in past sessions, each text once. */
export interface ReplayLine extends ReplaySums {
  role: string;
  feature: "block" | "handoff" | "hint" | "pins" | "stub" | "delta" | "before";
  samples: number;
  sessions: number;
  unknown: boolean;
  interval: [number, number] | null;
  carried: ReplaySums;
  items: { sent: number; used: number; found: number; unused: number; untold: number };
}

export interface ReplayRow {
  session: string;
  agent: string;
  role: string;
  project: string;
  at: number;
  prompts: number;
  reads: number;
  requests: number;
  features: ReplayLine[];
}

/** Past sessions once more, with only what was known at each moment. */
export interface Replayed {
  files: number;
  projects: number;
  sessions: number;
  from: number;
  to: number;
  features: ReplayLine[];
  roles: ReplayLine[];
  rows: ReplayRow[];
  held: Record<string, { count: number; tokens: number }>;
  estimator: string;
  interval: string;
  bytes: number;
  seconds: number;
  problems: string[];
}

/** What the doctor found out; `next` is what a person can do about it. */
export interface Doctor {
  ok: boolean;
  versions: Record<string, string>;
  checks: { name: string; state: "ok" | "warn" | "fail"; message: string; next: string }[];
  agents: {
    agent: string;
    found: boolean;
    version: string | null;
    installed: boolean;
    state: "working" | "silent" | "absent";
    /** When each of our hooks last ran. */
    events: Record<string, number>;
  }[];
  rivals: {
    rival: string;
    state: "active" | "allowed" | "leftover";
    what: string;
    where: string;
    next: string;
  }[];
  expiring: { agent: string; days: number | null; sessions: number; soon: number; kept: number }[];
  footprint: number | null;
}

/** The account of one feature for one role; tokens are estimated. */
export interface NetLine {
  role: string;
  feature: string;
  gross: number;
  bounced: number;
  cost: number;
  net: number;
  unknown: boolean;
  samples: number;
  state: "on" | "measuring" | "demoted";
  /** Why, in words with figures. */
  reason: string;
  /** Net tokens that a sample saves at least; null when too little was measured. */
  lower: number | null;
  /** When the state last changed; null: never. */
  at: number | null;
  /** What sessions without the feature tell; null without a control group. */
  estimate: NetEstimate | null;
}

/** A comparison of sessions with and without a feature; tokens a session. */
export interface NetEstimate {
  basis: "control";
  given: number;
  withheld: number;
  /** Re-reading that the feature spared. */
  saved: number;
  /** The same less what the feature cost, between `low` and `high`. */
  net: number;
  low: number;
  high: number;
}

/** What one feature cost and saved for one role on one day (UTC). */
export interface NetDay {
  day: string;
  role: string;
  feature: string;
  gross: number;
  bounced: number;
  cost: number;
}

export interface Report {
  roles: NetLine[];
  estimator: string;
  days: NetDay[];
  /** Per cent of sessions from which a feature is withheld, to compare. */
  control: number;
}

export const noteViews = [
  "all",
  "pinned",
  "rules",
  "facts",
  "episodes",
  "recent",
  "forgotten",
  "superseded",
  "attention",
] as const;
export const noteSorts = ["updated", "created", "used", "uses"] as const;
export type NoteSort = (typeof noteSorts)[number];
export type NoteView = (typeof noteViews)[number];
