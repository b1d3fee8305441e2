import assert from "node:assert/strict";
import { test } from "node:test";

import { archivedRow } from "../src/archived";
import type { FileHistory, FileTouch } from "../src/reading";
import type { Hit } from "../src/protocol";
import { currentRow, fileRow, historyLine, historyNodes } from "../src/touches";
import type { Here } from "../src/rows";

const minute = 60_000;
const now = Date.UTC(2026, 3, 2, 12);
const on: Here = {
  t: (message, ...values) => message.replace(/\{(\d)\}/g, (_, at: string) => String(values[Number(at)])),
  now,
  locale: "en",
  root: "/home/ada/shop",
};
const read: FileTouch = {
  kind: "read",
  session: "91be0000-1111",
  agent: "claude-code",
  role: "claude-code",
  title: "uploads time out",
  scope: "",
  turn: 4,
  at: now - 5 * minute,
  first: 1,
  last: 80,
  total: 212,
  tokens: 640,
  number: "#41",
};
const saved: FileTouch = { ...read, kind: "saved", agent: "editor", title: "", turn: null, at: now - minute, number: null };
const history: FileHistory = {
  path: "/home/ada/shop/src/upload.py",
  sessions: 1,
  last: read.at,
  line: null,
  since: {
    state: "changed",
    at: read.at,
    lines: 3,
    symbols: [{ name: "backoff", callable: true, change: "changed" }],
  },
  reads: [saved, read],
};

test("a file's history in a line names the agent's last read, not the person's", () => {
  assert.equal(historyLine(history, on), "Claude read lines 1–80, 5 min ago · changed since");
  assert.equal(historyLine({ ...history, reads: [saved] }, on), "");
});

test("the file in front stands for itself even if no agent has seen it", () => {
  const row = currentRow("/home/ada/shop/src/new.py", undefined, on);
  assert.equal(row.label, "This file: new.py");
  assert.equal(row.description, "no agent has seen it");
  assert.deepEqual(row.open, { kind: "file", path: "/home/ada/shop/src/new.py", line: null });
});

test("a touched file is named below the project's folder", () => {
  const row = fileRow({ path: history.path, at: read.at, sessions: 2, reads: 3, edits: 1 }, on);
  assert.equal(row.label, "upload.py");
  assert.equal(row.description, "src · 5 min ago");
  assert.equal(row.tooltip?.[1], "2 sessions · 3 reads · 1 change");
  const beside = fileRow({ path: "/home/ada/shopping/a.py", at: now, sessions: 1, reads: 1, edits: 0 }, on);
  assert.equal(beside.description, "/home/ada/shopping · just now");
});

test("under a file stand what changed since, then each touch with its turn", () => {
  const [since, own, agents] = historyNodes(history, on, "f");
  assert.equal(since?.row.label, "3 lines changed since it was last read");
  assert.equal(since.row.description, "backoff() changed · 5 min ago");
  assert.equal(own?.row.label, "You saved it");
  assert.equal(own.row.open, undefined);
  assert.equal(agents?.row.label, "Claude read lines 1–80");
  assert.equal(agents.row.description, "5 min ago · uploads time out · turn 4");
  assert.equal(agents.row.context, "touch.kept");
  assert.deepEqual(agents.row.open, { kind: "document", uri: "ibid://turn/91be0000-1111/4" });
});

test("a whole read says so, and an unknown range is not made up", () => {
  const label = (touch: Partial<FileTouch>): string | undefined =>
    historyNodes({ ...history, since: { ...history.since, state: "unknown" }, reads: [{ ...read, ...touch }] }, on, "f")[0]?.row.label;
  assert.equal(label({ last: 212 }), "Claude read all 212 lines");
  assert.equal(label({ total: 0 }), "Claude read lines 1–80");
  assert.equal(label({ first: 0, last: 0 }), "Claude read it");
  assert.equal(label({ kind: "wrote", agent: "codex" }), "Codex wrote it");
});

test("an archived text is titled by its first line and opens by its handle", () => {
  const hit: Hit = {
    id: "#41",
    layer: "archive",
    category: "exec",
    score: 0.5,
    text: "pytest -x\n3 failed\u202e",
    source: { session: "s", turn: 2, message: null, title: "tests are red", agent: "codex", at: now - minute },
    handle: "5a0f3c9e1b2d4f6071829304",
    matched: "some",
  };
  const row = archivedRow(hit, on);
  assert.equal(row.label, "pytest -x");
  assert.equal(row.description, "command · tests are red · 1 min ago");
  assert.deepEqual(row.tooltip, ["pytest -x", "3 failed", "Seen in turn 2 of “tests are red”", "Has some of the words"]);
  assert.deepEqual(row.open, { kind: "document", uri: "ibid://archive/5a0f3c9e1b2d4f6071829304" });
  assert.equal(archivedRow({ ...hit, text: "/home/ada/shop/src/a.py\nx" }, on).label, "src/a.py");
  assert.equal(archivedRow({ ...hit, text: "" }, on).label, "(empty)");
});
