import assert from "node:assert/strict";
import { test } from "node:test";

import type { Doctor } from "../src/protocol";
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
