/**
 * Words on the screen.  Texts of memory come from anywhere, agents and web pages
 * included, so each passes one of these before it is shown.  Pure.
 */

/** A translator with the shape of `vscode.l10n.t`. */
export type Translate = (message: string, ...values: (string | number)[]) => string;

/* Control characters, bidirectional overrides and marks, zero-width and other
   invisible characters, tags, and variation selectors that can carry hidden text. */
const hidden =
  // eslint-disable-next-line no-control-regex, no-misleading-character-class
  /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb]|[\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** One visible line of at most `limit` characters; what was cut shows as `…`. */
export function clean(text: string, limit = 400): string {
  const head = text.length > limit * 4 ? text.slice(0, limit * 4) : text;
  const line = head.toWellFormed().replace(hidden, "").replace(/\s+/gu, " ").trim();
  const points = Array.from(line);
  const cut = points.length > limit || head.length < text.length;
  return cut ? `${points.slice(0, limit - 1).join("")}…` : line;
}

/** As {@link clean}, keeping line ends: for texts a person reads whole. */
export function cleanLines(text: string, limit = 4000): string {
  const head = text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
  return head.toWellFormed().replace(/\r\n?/g, "\n").replace(hidden, "");
}

/** For quick picks and the status bar, where `$(name)` would become an icon. */
export function noIcons(text: string, limit?: number): string {
  return clean(text, limit).replaceAll("$(", "\\$(");
}

/** For messages, where `[text](target)` would become a link. */
export function noLinks(text: string, limit?: number): string {
  return clean(text, limit).replace(/\]\s*\(/g, "] (");
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** How long until something happens, in its largest whole unit. */
export function timeLeft(ms: number, t: Translate): string {
  if (ms <= 0) return t("due now");
  if (ms < minute) return t("1 min");
  if (ms < 2 * hour) return t("{0} min", Math.ceil(ms / minute));
  if (ms < 2 * day) return t("{0} h", Math.round(ms / hour));
  return t("{0} days", Math.round(ms / day));
}

/** When something was: near times in words, far ones as a date. */
export function ago(at: number, now: number, t: Translate, locale = "en"): string {
  const past = now - at;
  if (past < minute) return t("just now");
  if (past < hour) return t("{0} min ago", Math.floor(past / minute));
  if (past < day) return t("{0} h ago", Math.floor(past / hour));
  return shortDate(at, now, locale);
}

/** A day, with the year only if it is not the current one. */
export function shortDate(at: number, now: number, locale = "en"): string {
  const same = new Date(at).getFullYear() === new Date(now).getFullYear();
  const parts = { day: "numeric", month: "short" } as const;
  const format = new Intl.DateTimeFormat(british(locale), same ? parts : { ...parts, year: "numeric" });
  return format.format(at);
}

/* "2 Apr" reads the same everywhere; "Apr 2" does not. */
function british(locale: string): string {
  return locale === "en" ? "en-GB" : locale;
}

/** Joins what is there with a middle dot. */
export function dotted(...parts: (string | null | undefined | false)[]): string {
  return parts.filter((part) => typeof part === "string" && part !== "").join(" · ");
}
