/** The drawing of cost against saving: savings up, costs down, the net as a mark. */
import { drawn } from "./elements";
import { axisEnd, type Span } from "./figures";
import type { Words } from "./words";

const width = 720;
const height = 240;
const left = 64;
const top = 12;
const bottom = 24;
const tall = height - top - bottom;

/** Where nothing is, and how much of the drawing a token takes. */
interface Scale {
  readonly up: number;
  readonly down: number;
  readonly zero: number;
  readonly unit: number;
}

/* Costs are often far below the savings: each side is as long as it needs. */
function scaleOf(spans: readonly Span[]): Scale {
  const up = axisEnd(Math.max(0, ...spans.map(({ saved }) => saved)));
  const down = axisEnd(Math.max(0, ...spans.map(({ cost, net }) => Math.max(cost, -net))));
  const unit = tall / (up + down);
  return { up, down, zero: top + up * unit, unit };
}

/** Draws the spans; its name and summary are read out, its figures stand in a table. */
export function chart(spans: readonly Span[], words: Words): SVGSVGElement {
  const scale = scaleOf(spans);
  const band = (width - left) / spans.length;
  const svg = drawn("svg", {
    class: "chart",
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-labelledby": "chart-title chart-desc",
  });
  svg.append(
    drawn("title", { id: "chart-title" }, words.t("Cost against saving over time")),
    drawn("desc", { id: "chart-desc" }, summary(spans, words)),
    hatch(),
    ...axis(scale, words),
    ...spans.map((span, at) => bars(span, left + at * band, { band, scale, words })),
    ...dates(spans, band, words),
  );
  return svg;
}

function summary(spans: readonly Span[], words: Words): string {
  const sum = (pick: (span: Span) => number): string => words.count(spans.reduce((total, span) => total + pick(span), 0));
  const [first, last] = [spans[0]?.first ?? "", spans.at(-1)?.last ?? ""];
  return words.t(
    "From {0} to {1}: saved {2}, cost {3} tokens. The table below has each figure.",
    words.date(first),
    words.date(last),
    sum((span) => span.saved),
    sum((span) => span.cost),
  );
}

/* Costs are striped: colour alone does not tell them from savings. */
function hatch(): SVGElement {
  const pattern = { id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
  return drawn(
    "defs",
    {},
    drawn("pattern", pattern, drawn("rect", { class: "cost-ground", width: 6, height: 6 }), drawn("rect", { class: "cost-stripe", width: 2, height: 6 })),
  );
}

function axis({ up, down, zero, unit }: Scale, words: Words): SVGElement[] {
  const values = [up, up / 2, 0, -down / 2, -down].filter((value) => value === 0 || Math.abs(value) * unit >= apart);
  return values.flatMap((value) => {
    const y = zero - value * unit;
    const line = { class: value === 0 ? "zero" : "grid", x1: left, x2: width, y1: y, y2: y };
    const label = { class: "tick", x: left - 8, y: y + 4, "text-anchor": "end" };
    return [drawn("line", line), drawn("text", label, words.count(Math.abs(value)))];
  });
}

/* Closer to nothing than this, a figure would stand on the nought. */
const apart = 14;

function bars(span: Span, x: number, how: { band: number; scale: Scale; words: Words }): SVGElement {
  const { band, words } = how;
  const { zero, unit } = how.scale;
  const wide = Math.max(1, Math.min(28, band * 0.7));
  const at = x + (band - wide) / 2;
  const group = drawn("g", { class: "span" }, drawn("title", {}, spanWords(span, words)));
  const [up, down] = [long(span.saved, unit), long(span.cost, unit)];
  if (up > 0) group.append(drawn("rect", { class: "saved", x: at, y: zero - up, width: wide, height: up }));
  if (down > 0) group.append(drawn("rect", { class: "cost", x: at, y: zero, width: wide, height: down }));
  if (up + down > 0) {
    const y = zero - span.net * unit;
    group.append(drawn("rect", { class: "net", x: at - 3, y: y - 2, width: wide + 6, height: 4 }));
  }
  return group;
}

/* Something is never drawn as nothing; a saving that bounced may be below nothing. */
function long(tokens: number, unit: number): number {
  return tokens <= 0 ? 0 : Math.max(1, tokens * unit);
}

export function spanName(span: Span, words: Words): string {
  const first = words.date(span.first);
  return span.first === span.last ? first : `${first} – ${words.date(span.last)}`;
}

function spanWords(span: Span, words: Words): string {
  return words.t(
    "{0}: saved {1}, cost {2}, net {3}",
    spanName(span, words),
    words.count(span.saved),
    words.count(span.cost),
    words.signed(span.net),
  );
}

function dates(spans: readonly Span[], band: number, words: Words): SVGElement[] {
  const last = spans.length - 1;
  const shown = [...new Set([0, Math.floor(last / 2), last])];
  return shown.map((at) => {
    const anchor = spans.length < 3 ? "middle" : at === 0 ? "start" : at === last ? "end" : "middle";
    const edge = { start: 0, middle: band / 2, end: band }[anchor];
    const place = { class: "tick", x: left + at * band + edge, y: height - 6, "text-anchor": anchor };
    return drawn("text", place, words.date(spans[at]?.first ?? ""));
  });
}
