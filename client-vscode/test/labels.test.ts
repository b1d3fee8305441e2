import assert from "node:assert/strict";
import { test } from "node:test";

import { ago, clean, cleanLines, noIcons, noLinks, timeLeft, type Translate } from "../src/labels";

const t: Translate = (message, ...values) =>
  message.replace(/\{(\d)\}/g, (_, at: string) => String(values[Number(at)]));

test("control, bidirectional and invisible characters do not reach a label", () => {
  const hostile = "a\u0007b\u202Ec\u200Bd\u2066e\uFEFFf\u{E0041}g\u00ADh\u001b[31mi";
  assert.equal(clean(hostile), "abcdefgh[31mi");
});

test("a label is one line of bounded length, cut at a whole character", () => {
  assert.equal(clean("one\n  two\r\n\tthree"), "one two three");
  assert.equal(clean("😀".repeat(50), 10), `${"😀".repeat(9)}…`);
  assert.equal(clean("x".repeat(1_000_000)).length, 400);
});

test("an ordinary sentence in any script passes unchanged", () => {
  for (const text of ["Never log request bodies.", "迁移必须可逆。", "نعم", "C++ & <b>"]) {
    assert.equal(clean(text), text);
  }
});

test("half a surrogate pair becomes a replacement character", () => {
  assert.equal(clean("a\ud83d"), "a\ufffd");
});

test("an icon reference in a text stays text", () => {
  assert.equal(noIcons("use $(trash) here"), "use \\$(trash) here");
});

test("a link in a message loses its target", () => {
  assert.doesNotMatch(noLinks("[ok](command:ibid.deleteNote)"), /\]\(/);
  assert.doesNotMatch(noLinks("[ok]\u200b(command:x)"), /\]\(/);
});

test("a text read whole keeps its line ends but not what hides in it", () => {
  assert.equal(cleanLines("a\r\nb\u202E\nc"), "a\nb\nc");
});

test("time left is said in its largest unit and never as negative", () => {
  const minute = 60_000;
  assert.equal(timeLeft(-5, t), "due now");
  assert.equal(timeLeft(30_000, t), "1 min");
  assert.equal(timeLeft(17.2 * minute, t), "18 min");
  assert.equal(timeLeft(5 * 60 * minute, t), "5 h");
  assert.equal(timeLeft(72 * 60 * minute, t), "3 days");
});

test("near times are words, far ones a date", () => {
  const now = Date.UTC(2026, 3, 2, 12);
  assert.equal(ago(now - 10, now, t), "just now");
  assert.equal(ago(now - 5 * 60_000, now, t), "5 min ago");
  assert.equal(ago(now - 3 * 3_600_000, now, t), "3 h ago");
  assert.equal(ago(Date.UTC(2026, 2, 12, 12), now, t), "12 Mar");
  assert.equal(ago(Date.UTC(2024, 2, 12, 12), now, t), "12 Mar 2024");
});
