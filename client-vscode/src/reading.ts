/** The objects of `ibid/read` and `ibid/reads`, a part of the wire (docs/protocol.md). */

/** What a read is answered: the lines, or less when the reader has them already. */
export interface ReadAnswer {
  answer: "full" | "stub" | "delta";
  text: string;
  tokens: number;
  rawTokens: number;
  handle: string | null;
  turn: number;
  number: string | null;
  lines: [first: number, last: number];
  total: number;
  reason: string | null;
  before: string | null;
}

/** One read or change of a file. */
export interface FileTouch {
  kind: "read" | "wrote" | "edited" | "opened" | "saved";
  session: string;
  agent: string;
  role: string;
  title: string;
  scope: string;
  turn: number | null;
  at: number;
  first: number;
  last: number;
  total: number;
  tokens: number;
  number: string | null;
}

/** Who read or changed a file, and what changed since it was last read as a whole. */
export interface FileHistory {
  path: string;
  /** The path as it is shown: relative to the project, secrets masked; absent from older servers. */
  name?: string;
  sessions: number;
  last: number | null;
  line: string | null;
  since: {
    state: "unchanged" | "changed" | "gone" | "unknown";
    at: number | null;
    lines: number | null;
    symbols: { name: string; callable: boolean; change: "added" | "removed" | "changed" }[];
  };
  reads: FileTouch[];
}

export interface TouchedFile {
  path: string;
  /** As `FileHistory.name`. */
  name?: string;
  at: number;
  sessions: number;
  reads: number;
  edits: number;
}

export interface EndedEpoch {
  session: string;
  scope: string | null;
  epoch: number;
  purged: number;
}
