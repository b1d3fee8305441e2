import assert from "node:assert/strict";
import { test } from "node:test";

import { axisEnd, figuresOf, spansOf, sumsOf, type Line } from "../src/page/figures";
import { fromPage } from "../src/page/messages";
import { wordsOf } from "../src/page/words";

const line: Line = {
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
  lower: 20,
  at: null,
  estimate: null,
};

test("a report of an older server has no days and no bounds, and still is read", () => {
  const { lower, at, estimate, ...old } = line;
  assert.deepEqual([lower, at, estimate], [20, null, null]);
  const figures = figuresOf({ roles: [old], estimator: "words" });
  assert.deepEqual(figures, { lines: [{ ...line, lower: null }], days: [], estimator: "words", control: 0 });
});

test("what is no report gives no figures instead of an error", () => {
  for (const odd of [undefined, null, 7, { roles: "x", days: [null, { day: "soon" }] }]) {
    assert.deepEqual(figuresOf(odd), { lines: [], days: [], estimator: "", control: 0 });
  }
  const [only] = figuresOf({ roles: [{ feature: 7, gross: Number.NaN }] }).lines;
  assert.deepEqual([only?.feature, only?.gross, only?.unknown], ["", 0, false]);
});

test("a comparison with the control group is kept with its bounds", () => {
  const estimate = { basis: "control", given: 9, withheld: 3, saved: 80, net: 40, low: -5, high: 90 };
  assert.deepEqual(figuresOf({ roles: [{ ...line, estimate }] }).lines[0]?.estimate, { net: 40, low: -5, high: 90 });
});

test("only what was measured is summed as a saving", () => {
  const hints = { ...line, feature: "hints", gross: 0, bounced: 0, cost: 2100, net: -2100, unknown: true };
  assert.deepEqual(sumsOf([line, hints]), { saved: 1530, cost: 96, net: 1434, unmeasured: 2100 });
});

test("days of all roles are one bar, and days without anything have their place", () => {
  const day = (name: string, gross: number, cost: number) => ({ day: name, gross, bounced: 10, cost });
  const spans = spansOf([day("2026-11-30", 50, 5), day("2026-11-28", 100, 20), day("2026-11-30", 50, 5)]);
  assert.deepEqual(
    spans.map(({ first, saved, cost, net }) => [first, saved, cost, net]),
    [
      ["2026-11-28", 90, 20, 70],
      ["2026-11-29", 0, 0, 0],
      ["2026-11-30", 80, 10, 70],
    ],
  );
});

test("many days become spans of several, and nothing gets lost in them", () => {
  const days = Array.from({ length: 90 }, (_, at) => ({
    day: new Date(Date.UTC(2026, 0, 1 + at)).toISOString().slice(0, 10),
    gross: 3,
    bounced: 1,
    cost: 1,
  }));
  const spans = spansOf(days, 45);
  assert.equal(spans.length, 45);
  assert.equal(spans.reduce((sum, span) => sum + span.saved, 0), 180);
  assert.deepEqual([spans[0]?.first, spans[0]?.last, spans.at(-1)?.last], ["2026-01-01", "2026-01-02", "2026-03-31"]);
  assert.deepEqual(spansOf([]), []);
});

test("an axis ends on a round number that nothing exceeds", () => {
  assert.deepEqual([0, 1, 7, 11, 212, 1840, 26_000].map(axisEnd), [1, 1, 8, 12, 250, 2000, 30_000]);
});

test("of a page's messages only the three that ours sends are heard", () => {
  assert.deepEqual(fromPage({ kind: "ready", more: 1 }), { kind: "ready" });
  assert.deepEqual(fromPage({ kind: "enable", role: "codex", feature: "stubs" }), { kind: "enable", role: "codex", feature: "stubs" });
  for (const odd of [undefined, null, "ready", { kind: "enable", role: 1, feature: "x" }, { kind: "run" }]) {
    assert.equal(fromPage(odd), undefined);
  }
});

test("the page speaks the editor's language and signs a net", () => {
  const words = wordsOf({ "since {0}": "自 {0} 起" }, "zh-cn", Date.UTC(2026, 10, 30));
  assert.equal(words.t("since {0}", "x"), "自 x 起");
  assert.equal(words.t("cost"), "cost");
  assert.deepEqual([-1234, 0, 12].map((tokens) => words.signed(tokens)), ["−1,234", "0", "+12"]);
});
