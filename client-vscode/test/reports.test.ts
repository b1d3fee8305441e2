import assert from "node:assert/strict";
import { test } from "node:test";

import type { Doctor, Replayed, ReplayLine } from "../src/protocol";
import { replayText } from "../src/replayed";
import { accountText, doctorText } from "../src/reports";
import type { Here } from "../src/rows";

const now = Date.UTC(2026, 3, 2, 12);
const on: Here = {
  t: (message, ...values) => message.replace(/\{(\d)\}/g, (_, at: string) => String(values[Number(at)])),
  now,
  locale: "en",
};
const doctor: Doctor = {
  ok: false,
  versions: { ibid: "0.1.0" },
  checks: [
    { name: "database", state: "ok", message: "The store holds.", next: "" },
    { name: "watch", state: "fail", message: "No watches\u202e left.", next: "Raise the limit." },
  ],
  agents: [
    { agent: "codex", found: true, version: "1.2", installed: true, state: "working", events: { start: now - 120_000 } },
    { agent: "cursor", found: true, version: null, installed: false, state: "silent", events: {} },
  ],
  rivals: [],
  expiring: [{ agent: "claude-code", days: 30, sessions: 9, soon: 2, kept: 9 }],
  footprint: 631,
};

test("the doctor's report begins with what needs a person, and leaves out what there is not", () => {
  const lines = doctorText(doctor, on).split("\n");
  const failed = lines.indexOf("- ✗ No watches left.");
  assert.equal(lines[failed + 1], "  → Raise the limit.");
  assert.ok(failed < lines.indexOf("- ✓ The store holds."));
  assert.ok(lines.includes("- codex 1.2: our hooks run, last 2 min ago"));
  assert.ok(lines.includes("- cursor: found, not set up"));
  assert.ok(lines.includes("- claude-code: after 30 days; 9 sessions, 2 of them soon, 9 kept by Ibid"));
  assert.ok(!lines.some((line) => line.includes("Other memories")));
});

test("accounts as text never call an unknown saving nothing", () => {
  const line = {
    role: "codex", feature: "hints", gross: 0, bounced: 0, cost: 2100, net: -2100, unknown: true,
    samples: 30, state: "on", reason: "", lower: null, at: null, estimate: null,
  };
  const text = accountText([line, { ...line, feature: "stubs", gross: 10, net: -2090, unknown: false, reason: "odd\n| row" }], "words", on);
  assert.match(text, /\| codex \| hints \| \? \| 0 \| 2100 \| saving unknown \| 30 \| on \|/);
  assert.match(text, /\| codex \| stubs \| 10 \| 0 \| 2100 \| -2090 \| 30 \| on: odd \\\| row \|/);
});

test("a replay tells the net with its bounds, and calls what it cannot know unknown", () => {
  const sums = { gross: 400, bounced: 20, cost: 90, net: 290, most: 0 };
  const items = { sent: 5, used: 2, found: 1, unused: 2, untold: 0 };
  const line = {
    ...sums, role: "", feature: "stub", samples: 12, sessions: 3, unknown: false, interval: [101.4, 480.2], carried: sums, items,
  } satisfies ReplayLine;
  const replayed: Replayed = {
    files: 4, projects: 1, sessions: 3, from: 0, to: now, features: [line, { ...line, feature: "hint", unknown: true, interval: null }],
    roles: [], rows: [], held: {}, estimator: "words", interval: "", bytes: 1, seconds: 1, problems: ["odd\u202e file"],
  };
  const text = replayText(replayed, on);
  assert.match(text, /3 sessions of 4 files/);
  assert.match(text, /\| all roles \| stub \| 12 \| 400 \| -20 \| 90 \| 290 \(101 to 480\) \| 0 \| 2 of 5 \|/);
  assert.match(text, /\| hint \| 12 \| \? \| -20 \| 90 \| saving unknown \|/);
  assert.match(text, /- odd file/);
  assert.match(replayText({ ...replayed, features: [], problems: [] }, on), /Nothing would have been given/);
});
