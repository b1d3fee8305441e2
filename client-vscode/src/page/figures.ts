/**
 * The figures of the net's page: read from whatever a server's report has, summed by
 * day, and scaled for a chart.  Pure; shared by the extension and its page.
 */

/** The account of one feature for one role; tokens are estimated (P2). */
export interface Line {
  readonly role: string;
  readonly feature: string;
  readonly gross: number;
  readonly bounced: number;
  readonly cost: number;
  readonly net: number;
  /** No saving was ever measured: the net says nothing but the cost. */
  readonly unknown: boolean;
  readonly samples: number;
  readonly state: string;
  readonly reason: string;
  /** What a sample saves at least; null when too little was measured. */
  readonly lower: number | null;
  /** When the state last changed. */
  readonly at: number | null;
  /** What sessions without the feature tell, in tokens a session; null without any. */
  readonly estimate: Estimate | null;
}

export interface Estimate {
  readonly net: number;
  readonly low: number;
  readonly high: number;
}

export interface Day {
  readonly day: string;
  readonly gross: number;
  readonly bounced: number;
  readonly cost: number;
}

export interface Figures {
  readonly lines: readonly Line[];
  readonly days: readonly Day[];
  readonly estimator: string;
  /** Per cent of sessions from which a feature is withheld, to compare. */
  readonly control: number;
}

/** One bar of the chart: a day, or several in a row where there are many. */
export interface Span {
  readonly first: string;
  readonly last: string;
  readonly saved: number;
  readonly cost: number;
  readonly net: number;
}

/** Reads a report; what an older server leaves out is empty, what is odd is left out. */
export function figuresOf(report: unknown): Figures {
  const of = (report ?? {}) as Record<string, unknown>;
  return {
    lines: rows(of.roles).map(lineOf),
    days: rows(of.days).map(dayOf).filter(({ day }) => isDay.test(day)),
    estimator: text(of.estimator),
    control: number(of.control),
  };
}

function lineOf(of: Record<string, unknown>): Line {
  return {
    role: text(of.role),
    feature: text(of.feature),
    gross: number(of.gross),
    bounced: number(of.bounced),
    cost: number(of.cost),
    net: number(of.net),
    unknown: of.unknown === true,
    samples: number(of.samples),
    state: text(of.state),
    reason: text(of.reason),
    lower: typeof of.lower === "number" ? of.lower : null,
    at: typeof of.at === "number" ? of.at : null,
    estimate: estimateOf(of.estimate),
  };
}

function estimateOf(value: unknown): Estimate | null {
  if (typeof value !== "object" || value === null) return null;
  const of = value as Record<string, unknown>;
  return { net: number(of.net), low: number(of.low), high: number(of.high) };
}

function dayOf(of: Record<string, unknown>): Day {
  return { day: text(of.day), gross: number(of.gross), bounced: number(of.bounced), cost: number(of.cost) };
}

const isDay = /^\d{4}-\d{2}-\d{2}$/;

function rows(value: unknown): Record<string, unknown>[] {
  if (!Array.isArray(value)) return [];
  return value.filter((one): one is Record<string, unknown> => typeof one === "object" && one !== null);
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function number(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

/** What was measured, and what the features without a measure cost. */
export interface Sums {
  readonly saved: number;
  readonly cost: number;
  readonly net: number;
  readonly unmeasured: number;
}

export function sumsOf(lines: readonly Line[]): Sums {
  const measured = lines.filter((line) => !line.unknown);
  const sum = (pick: (line: Line) => number, of = measured): number => of.reduce((total, line) => total + pick(line), 0);
  return {
    saved: sum((line) => line.gross - line.bounced),
    cost: sum((line) => line.cost),
    net: sum((line) => line.net),
    unmeasured: sum((line) => line.cost, lines.filter((line) => line.unknown)),
  };
}

const dayMs = 86_400_000;

/** All days from the first to the last, empty ones too, in at most `most` spans. */
export function spansOf(days: readonly Day[], most = 45): Span[] {
  const byDay = new Map<string, { saved: number; cost: number }>();
  for (const { day, gross, bounced, cost } of days) {
    const sum = byDay.get(day) ?? { saved: 0, cost: 0 };
    byDay.set(day, { saved: sum.saved + gross - bounced, cost: sum.cost + cost });
  }
  const known = [...byDay.keys()].sort();
  const [from, to] = [known[0], known.at(-1)];
  if (from === undefined || to === undefined) return [];
  const count = (Date.parse(to) - Date.parse(from)) / dayMs + 1;
  const size = Math.max(1, Math.ceil(count / most));
  const spans: Span[] = [];
  for (let at = 0; at < count; at += size) {
    const names = Array.from({ length: Math.min(size, count - at) }, (_, k) => dayAfter(from, at + k));
    const saved = names.reduce((sum, day) => sum + (byDay.get(day)?.saved ?? 0), 0);
    const cost = names.reduce((sum, day) => sum + (byDay.get(day)?.cost ?? 0), 0);
    spans.push({ first: names[0] ?? from, last: names.at(-1) ?? from, saved, cost, net: saved - cost });
  }
  return spans;
}

function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10);
}

/** A round number at or above `most`, for the end of an axis; at least 1. */
export function axisEnd(most: number): number {
  if (most <= 1) return 1;
  const unit = 10 ** Math.floor(Math.log10(most));
  const step = [1, 1.2, 1.6, 2, 2.5, 3, 4, 5, 6, 8, 10].find((factor) => factor * unit >= most) ?? 10;
  return step * unit;
}
