import assert from "node:assert/strict";
import { test } from "node:test";

import type { Candidate, NetLine, Note, Receipt, Session, Source } from "../src/protocol";
import { hitTarget, itemRow, netRow, receiptRow, sessionRow } from "../src/records";
import { candidateFacts, candidateRow, documentUri, noteFacts, noteRow, wireAddress, type Here } from "../src/rows";

const minute = 60_000;
const now = Date.UTC(2026, 3, 2, 12);
const on: Here = {
  t: (message, ...values) => message.replace(/\{(\d)\}/g, (_, at: string) => String(values[Number(at)])),
  now,
  locale: "en",
};
const said: Source = {
  session: "s 1",
  turn: 7,
  message: null,
  title: "tests are red again",
  agent: "claude-code",
  at: now - 12 * minute,
};
const candidate: Candidate = {
  id: "c-1",
  category: "constraint",
  text: "Never log request bodies in payments/",
  signal: "prohibition: never",
  source: said,
  at: now - 12 * minute,
  due: now + 18 * minute,
  left: 18 * minute,
  state: "pending",
  waits: "settling",
  reason: null,
  resembles: null,
  taint: false,
  version: 1,
};
const note: Note = {
  id: "n-1",
  layer: "L1",
  category: "decision",
  text: "The ledger is stored in Postgres.",
  confidence: 1,
  origin: "manual",
  author: "person",
  role: null,
  tags: ["gotcha"],
  pinned: true,
  active: true,
  state: "active",
  taint: false,
  created: now,
  updated: now,
  used: now - 5 * minute,
  uses: 3,
  sources: [said],
  supersedes: null,
  conflicts: null,
  reason: null,
  anchors: [],
  version: 4,
};

test("a settling candidate leads with the time it has left", () => {
  const row = candidateRow(candidate, on);
  assert.equal(row.label, "18 min · Never log request bodies in payments/");
  assert.equal(row.label.slice(0, row.mark), "18 min");
  assert.equal(row.description, "constraint");
});

test("the time left goes down between two answers of the server", () => {
  const later = candidateRow(candidate, { ...on, now: now + 10 * minute });
  assert.match(later.label, /^8 min · /);
});

test("a candidate's tooltip has sentence, turn, time left, reason and likeness", () => {
  const tooltip = candidateRow({ ...candidate, resembles: "n-9" }, on).tooltip?.join("\n") ?? "";
  for (const part of [
    "“Never log request bodies in payments/”",
    "Said in turn 7 of “tests are red again”",
    "becomes a note in 18 min",
    "Why: prohibition: never",
    "Resembles n-9",
  ]) {
    assert.ok(tooltip.includes(part), part);
  }
});

test("a candidate that waits for a person says for what, and is not counted down", () => {
  for (const [waits, words] of [
    ["review", "to review"],
    ["agent", "proposed by an agent"],
    ["sensitive", "sensitive"],
    ["held", "held"],
    ["taint", "outside text"],
  ] as const) {
    const row = candidateRow({ ...candidate, waits, left: null, due: null }, on);
    assert.equal(row.label, candidate.text);
    assert.equal(row.description, `${words} · constraint`);
  }
});

test("tainted text is marked on its row and said below it", () => {
  const tainted = { ...candidate, taint: true };
  assert.equal(candidateRow(tainted, on).icon, "warning");
  assert.match(candidateFacts(tainted, on).map((row) => row.label).join("\n"), /outside the project/);
});

test("the rows below a candidate lead to its turn and to what it resembles", () => {
  const facts = candidateFacts({ ...candidate, resembles: "n-9" }, on);
  const uris = facts.flatMap((row) => (row.open?.kind === "document" ? [row.open.uri] : []));
  assert.deepEqual(uris, ["ibid://turn/s%201/7", "ibid://note/n-9"]);
});

test("a document of another project carries that project", () => {
  assert.equal(documentUri("note", ["n-1"], "/w/other shop"), "ibid://note/n-1?project=%2Fw%2Fother%20shop");
});

test("a note's actions follow from its state", () => {
  const context = (change: Partial<Note>): string | undefined => noteRow({ ...note, ...change }, on).context;
  assert.equal(context({}), "note.active.pinned");
  assert.equal(context({ pinned: false }), "note.active.loose");
  const anchors: Note["anchors"] = [{ path: "a.py", symbol: null, line: null, state: "gone" }];
  assert.equal(context({ pinned: false, anchors }), "note.active.loose.changed");
  assert.equal(context({ state: "forgotten" }), "note.resting");
  assert.equal(context({ state: "superseded" }), "note.resting");
  assert.equal(context({ state: "quarantined" }), "note.attention");
  assert.equal(context({ layer: "L3" }), "profile");
});

test("a note says what it is, and that its code has changed", () => {
  const anchors = [{ path: "src/a.py", symbol: "send", line: 4, state: "gone" as const }];
  assert.equal(noteRow({ ...note, anchors }, on).description, "decision · pinned · code changed");
});

test("an episode is known by what was asked, with its outcome in the tooltip", () => {
  const row = noteRow({ ...note, layer: "L2", category: "episode", request: "fix it", text: "Fixed." }, on);
  assert.equal(row.label, "fix it");
  assert.match(row.tooltip?.join("\n") ?? "", /Asked: fix it\nFixed\./);
});

test("the rows below a note are its sources, places, relatives and use", () => {
  const anchors = [
    { path: "src/a.py", symbol: "send", line: 4, state: "changed" as const },
    { path: "src/b.py", symbol: null, line: null, state: "gone" as const },
  ];
  const facts = noteFacts({ ...note, anchors, supersedes: "n-0", conflicts: "n-2" }, on);
  assert.deepEqual(
    facts.map((row) => row.label),
    [
      "Said in turn 7 of “tests are red again”",
      "src/a.py · send",
      "src/b.py",
      "Replaces n-0",
      "Contradicts n-2",
      "Recalled 3 times, last 5 min ago",
    ],
  );
  assert.deepEqual(facts[1]?.open, { kind: "file", path: "src/a.py", line: 4 });
  assert.equal(facts[2]?.open, undefined);
  assert.equal(new Set(facts.map((row) => row.id)).size, facts.length);
});

test("a receipt counts items by layer and says what was asked", () => {
  const item = { id: "n-1", layer: "L1" as const, category: "decision" as const, score: 0.834, text: "x", source: said };
  const receipt: Receipt = {
    id: "r-1",
    kind: "block",
    session: "s",
    turn: 2,
    agent: "codex",
    role: "codex",
    at: now - minute,
    query: "what is the ledger",
    tokens: 212,
    estimator: "words",
    layers: { L1: 180, L2: 32 },
    items: [item, { ...item, id: "n-2" }, { ...item, id: "e-1", layer: "L2", category: "episode" }],
    erased: false,
    control: null,
  };
  const row = receiptRow(receipt, on);
  assert.equal(row.label, "3 items, 212 tokens");
  assert.equal(row.description, "turn 2 · 1 min ago · L1 2 · L2 1");
  assert.match(row.tooltip?.join("\n") ?? "", /Asked: what is the ledger/);
  assert.match(receiptRow({ ...receipt, control: "withheld" }, on).description ?? "", /withheld, to compare$/);
  const line = itemRow("r-1", { ...item, text: "[L1 decision n-1, pinned] Use x. (manual)" }, on);
  assert.equal(line.label, "Use x. (manual)");
  assert.equal(line.description, "L1 · decision · 0.83");
});

test("an item leads to its note, a message to its turn, an archived hit to its text", () => {
  const item = { id: "m-1", layer: "L0" as const, category: null, score: 1, text: "x", source: said };
  assert.deepEqual(itemRow("r", item, on).open, { kind: "document", uri: "ibid://turn/s%201/7" });
  const hit = { ...item, handle: "5a0f", matched: "all" as const };
  assert.deepEqual(hitTarget({ ...hit, layer: "archive" }, on), {
    kind: "document",
    uri: "ibid://archive/5a0f",
  });
  assert.deepEqual(hitTarget({ ...hit, layer: "L1", id: "n-1" }, on), {
    kind: "document",
    uri: "ibid://note/n-1",
  });
});

test("an item of another project says so and opens there", () => {
  const item = { id: "n-1", layer: "L1" as const, category: null, score: 1, source: said };
  const text = "[L1 fact n-1, from web shop] Parcels ship by freight. (you)";
  const row = itemRow("r", { ...item, text, project: "/srv/web shop", projectName: "web shop" }, on);
  assert.equal(row.label, "Parcels ship by freight. (you)");
  assert.equal(row.description, "L1 · 1.00 · from web shop");
  assert.ok(row.tooltip?.includes("/srv/web shop"));
  assert.deepEqual(row.open, { kind: "document", uri: "ibid://note/n-1?project=%2Fsrv%2Fweb%20shop" });
  const own = itemRow("r", { ...item, text, project: null, projectName: null }, on);
  assert.deepEqual(own.open, { kind: "document", uri: "ibid://note/n-1" });
});

test("an erased item still has a row", () => {
  const item = { id: "n-1", layer: "L1" as const, category: null, score: 0, text: "", source: null };
  assert.equal(itemRow("r", item, on).label, "(erased)");
});

test("a session without a title is named by agent and id, and shows its preset", () => {
  const session: Session = {
    session: "91be0000-1111",
    agent: "claude-code",
    role: null,
    title: null,
    at: now - 3 * 60 * minute,
    turns: 1,
    state: "ended",
    preset: "private",
    kept: true,
    control: [],
  };
  const row = sessionRow(session, on);
  assert.equal(row.label, "claude-code · 91be000…");
  assert.equal(row.description, "claude-code · 1 turn · 3 h ago · Private session");
  assert.equal(row.context, "session.kept");
});

test("the net of a feature is signed, barred, and unknown where nothing was measured", () => {
  const line: NetLine = {
    role: "codex",
    feature: "stubs",
    gross: 1840,
    bounced: 310,
    cost: 96,
    net: 1434,
    unknown: false,
    samples: 41,
    state: "on",
    reason: "",
    lower: 21.4,
    at: null,
    estimate: null,
  };
  const row = netRow(line, 1434, on);
  assert.equal(row.label, "stubs  net +1,434");
  assert.equal(row.description, "▇▇▇▇▇▇▇▇ · n=41");
  assert.match(row.tooltip?.join("\n") ?? "", /gross 1,840 · bounced −310 · cost 96/);
  const loss = netRow({ ...line, net: -470, state: "demoted" }, 1434, on);
  assert.equal(loss.label, "stubs  net −470");
  assert.equal(loss.description, "▇▇▇ · switched off · n=41");
  const unknown = netRow({ ...line, feature: "hints", unknown: true, cost: 2100, net: -2100 }, 1434, on);
  assert.equal(unknown.label, "hints  cost 2,100, saving unknown");
  assert.equal(unknown.description, "n=41");
});

test("hostile text in any field comes out as plain words", () => {
  const hostile = "\u202e[x](command:y)\u0000\n<b>\u200b";
  const rows = [
    candidateRow({ ...candidate, text: hostile, source: { ...said, title: hostile }, signal: hostile }, on),
    ...candidateFacts({ ...candidate, source: { ...said, title: hostile } }, on),
    noteRow({ ...note, text: hostile, tags: [hostile], role: hostile, reason: hostile }, on),
    ...noteFacts({ ...note, anchors: [{ path: hostile, symbol: hostile, line: 1, state: "fresh" }] }, on),
  ];
  for (const row of rows) {
    for (const text of [row.label, row.description ?? "", ...(row.tooltip ?? [])]) {
      // eslint-disable-next-line no-control-regex
      assert.doesNotMatch(text, /[\u202e\u0000\u200b]/);
    }
    assert.doesNotMatch(row.label, /\n/);
  }
});

test("a document of another project names it in a way that the server reads", () => {
  const escaped = "ibid://note/n-1?project%3D/home/ada/a%26b";
  assert.equal(wireAddress(escaped, "project=/home/ada/a&b"), "ibid://note/n-1?project=%2Fhome%2Fada%2Fa%26b");
  assert.equal(wireAddress("ibid://note/n-1", ""), "ibid://note/n-1");
});
