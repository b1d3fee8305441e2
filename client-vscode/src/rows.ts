/**
 * What a row says: objects of the wire turned into words, icons and links.  Pure, so
 * that what a person reads is tested without an editor.
 */
import { ago, clean, cleanLines, dotted, shortDate, timeLeft, type Translate } from "./labels";
import type { Anchor, Candidate, Note, Source } from "./protocol";

/** Where a click leads: a document of the server, or a place in a file. */
export type Target =
  | { readonly kind: "document"; readonly uri: string }
  | { readonly kind: "file"; readonly path: string; readonly line: number | null };

export interface Row {
  readonly id: string;
  readonly label: string;
  /** How much of the label's beginning is to stand out. */
  readonly mark?: number;
  readonly description?: string;
  /** Plain paragraphs; the caller shows them as text, never as markup. */
  readonly tooltip?: readonly string[];
  readonly icon?: string;
  /** A theme colour for the icon. */
  readonly color?: string;
  readonly context?: string;
  readonly open?: Target;
}

/** What all rows need to know about now and here. */
export interface Here {
  readonly t: Translate;
  readonly now: number;
  readonly locale: string;
  /** Set when the rows are of another project than the first workspace folder. */
  readonly project?: string | undefined;
  /** The folder whose memory is shown. */
  readonly root?: string | undefined;
}

/** The address of a document the server renders. */
export function documentUri(
  kind: "note" | "candidate" | "receipt" | "turn" | "archive" | "handoff" | "recall",
  parts: readonly (string | number)[],
  project?: string,
): string {
  const path = parts.map((part) => encodeURIComponent(part)).join("/");
  const query = project === undefined ? "" : `?project=${encodeURIComponent(project)}`;
  return `ibid://${kind}/${path}${query}`;
}

/**
 * A document's address as the server reads it.
 *
 * The editor escapes the query's equals sign too (`project%3D…`), which names nothing;
 * `text` is the address so escaped, `query` its query without any escapes.
 */
export function wireAddress(text: string, query: string): string {
  const name = "project=";
  if (!query.startsWith(name)) return text;
  const [before = text] = text.split("?");
  return `${before}?${name}${encodeURIComponent(query.slice(name.length))}`;
}

export function documentOf(
  on: Here,
  kind: Parameters<typeof documentUri>[0],
  ...parts: (string | number)[]
): Target {
  return { kind: "document", uri: documentUri(kind, parts, on.project) };
}

/** A path as a person names it: without the folder of the project. */
export function belowRoot(path: string, root: string | undefined): string {
  if (root === undefined || !path.startsWith(root)) return path;
  const rest = path.slice(root.length);
  return /^[\\/]/.test(rest) ? rest.slice(1) : path;
}

// -- candidates ------------------------------------------------------------------

/** A candidate as the queue shows it: what waits, how long, and for what. */
export function candidateRow(of: Candidate, on: Here): Row {
  const { t } = on;
  const wait = waitOf(of, on);
  // The time left stands first: behind a sentence, a narrow side bar would cut it.
  const counted = of.waits === "settling" && of.left !== null;
  return {
    id: of.id,
    label: counted ? `${wait} · ${clean(of.text)}` : clean(of.text),
    ...(counted ? { mark: wait.length } : {}),
    description: dotted(!counted && wait, categoryName(of.category, t)),
    tooltip: [
      `“${cleanLines(of.text)}”`,
      dotted(categoryName(of.category, t), waitReason(of, on)),
      of.source === null ? "" : saidIn(of.source, on),
      t("Why: {0}", clean(dotted(of.signal, of.reason))),
      ...(of.resembles === null ? [] : [t("Resembles {0}", of.resembles)]),
      ...(of.taint ? [outside(t)] : []),
    ],
    icon: of.taint ? "warning" : waitIcons[of.waits],
    ...(of.taint || of.waits === "sensitive" ? { color: "list.warningForeground" } : {}),
    context: "candidate",
    open: documentOf(on, "candidate", of.id),
  };
}

/** The rows under a candidate: where it was said, why it was kept, what it is like. */
export function candidateFacts(of: Candidate, on: Here): Row[] {
  const { t } = on;
  const facts: Row[] = of.source === null ? [] : [sourceRow(`${of.id}/source`, of.source, on)];
  facts.push({
    id: `${of.id}/why`,
    label: t("Why: {0}", clean(dotted(of.signal, of.reason))),
    icon: "lightbulb",
  });
  if (of.resembles !== null) {
    facts.push({
      id: `${of.id}/resembles`,
      label: t("Resembles {0}", of.resembles),
      icon: "note",
      open: documentOf(on, "note", of.resembles),
    });
  }
  if (nonEmpty(of.file) !== null) facts.push(fileRow(`${of.id}/file`, of.file ?? ""));
  if (of.taint) facts.push({ id: `${of.id}/taint`, label: outside(t), icon: "warning" });
  return facts;
}

function outside(t: Translate): string {
  return t("Repeats text that was read from outside the project");
}

const waitIcons: Record<Candidate["waits"], string> = {
  settling: "watch",
  review: "eye",
  history: "history",
  taint: "warning",
  sensitive: "shield",
  held: "debug-pause",
  snoozed: "bell-slash",
  agent: "hubot",
};

function waitOf(of: Candidate, on: Here): string {
  const { t } = on;
  switch (of.waits) {
    case "settling":
      return of.left === null ? t("settling") : timeLeft(leftNow(of, on.now), t);
    case "snoozed":
      return of.due === null
        ? t("snoozed to the next session")
        : t("snoozed, {0}", timeLeft(of.due - on.now, t));
    case "history":
      return shortDate(of.at, on.now, on.locale);
    case "review":
      return t("to review");
    case "taint":
      return t("outside text");
    case "sensitive":
      return t("sensitive");
    case "held":
      return t("held");
    case "agent":
      return t("proposed by an agent");
  }
}

function waitReason(of: Candidate, on: Here): string {
  const { t } = on;
  return of.waits === "settling" && of.left !== null
    ? t("becomes a note in {0}", timeLeft(leftNow(of, on.now), t))
    : t("waits for you: {0}", waitOf(of, on));
}

/** Milliseconds until a candidate settles, as of now and not of when it was read. */
export function leftNow(of: Candidate, now: number): number {
  return of.due === null ? (of.left ?? 0) : of.due - now;
}

// -- notes -----------------------------------------------------------------------

export function noteRow(of: Note, on: Here): Row {
  const { t } = on;
  const look = noteLook(of);
  return {
    id: of.id,
    label: clean(nonEmpty(of.request) ?? of.text),
    description: dotted(
      of.state === "active" ? null : stateName(of.state, t),
      categoryName(of.category, t),
      of.pinned && t("pinned"),
      of.role !== null && clean(of.role, 30),
      of.anchors.some((anchor) => anchor.state !== "fresh") && t("code changed"),
    ),
    tooltip: [
      ...(nonEmpty(of.request) === null ? [] : [t("Asked: {0}", cleanLines(of.request ?? ""))]),
      cleanLines(of.text),
      dotted(categoryName(of.category, t), of.layer, of.pinned && t("pinned"), originName(of.origin, t)),
      ...of.sources.slice(0, 3).map((source) => saidIn(source, on)),
      usedTimes(of, on),
      ...(of.reason === null ? [] : [clean(of.reason)]),
      ...(of.taint ? [outside(t)] : []),
      ...(of.tags.length > 0 ? [clean(of.tags.map((tag) => `#${tag}`).join(" "))] : []),
    ],
    icon: look.icon,
    ...(look.color === undefined ? {} : { color: look.color }),
    context: noteContext(of),
    open: documentOf(on, "note", of.id),
  };
}

/** The rows under a note: sources, places in the code, relatives, use. */
export function noteFacts(of: Note, on: Here): Row[] {
  const { t } = on;
  const facts = of.sources.map((source, at) => sourceRow(`${of.id}/source/${at}`, source, on));
  if (nonEmpty(of.file) !== null) facts.push(fileRow(`${of.id}/file`, of.file ?? ""));
  facts.push(...of.anchors.map((anchor, at) => anchorRow(`${of.id}/anchor/${at}`, anchor, t)));
  for (const [name, other, words] of [
    ["supersedes", of.supersedes, t("Replaces {0}", of.supersedes ?? "")],
    ["conflicts", of.conflicts, t("Contradicts {0}", of.conflicts ?? "")],
  ] as const) {
    if (other === null) continue;
    const open = documentOf(on, "note", other);
    facts.push({ id: `${of.id}/${name}`, label: words, icon: "arrow-swap", open });
  }
  if (of.reason !== null) {
    facts.push({ id: `${of.id}/reason`, label: clean(of.reason), icon: "info" });
  }
  facts.push({ id: `${of.id}/use`, label: usedTimes(of, on), icon: "graph", context: "use" });
  return facts;
}

function nonEmpty(text: string | null | undefined): string | null {
  return text === "" ? null : (text ?? null);
}

function noteContext(of: Note): string {
  if (of.layer === "L3") return "profile";
  if (of.state === "active") {
    const changed = of.anchors.some((anchor) => anchor.state !== "fresh") ? ".changed" : "";
    return `note.active.${of.pinned ? "pinned" : "loose"}${changed}`;
  }
  return of.state === "quarantined" ? "note.attention" : "note.resting";
}

function noteLook(of: Note): { icon: string; color?: string } {
  switch (of.state) {
    case "forgotten":
      return { icon: "eye-closed", color: "disabledForeground" };
    case "superseded":
      return { icon: "arrow-swap", color: "disabledForeground" };
    case "dormant":
      return { icon: "circle-slash", color: "disabledForeground" };
    case "quarantined":
      return { icon: "warning", color: "list.warningForeground" };
    case "active":
      return { icon: of.pinned ? "pinned" : categoryIcon(of.category) };
  }
}

function fileRow(id: string, path: string): Row {
  return { id, label: clean(path), icon: "file", open: { kind: "file", path, line: null } };
}

function anchorRow(id: string, of: Anchor, t: Translate): Row {
  const place = of.symbol === null ? of.path : `${of.path} · ${of.symbol}`;
  const states = { fresh: undefined, changed: t("changed since"), gone: t("gone") };
  const description = states[of.state];
  return {
    id,
    label: clean(place),
    ...(description === undefined ? {} : { description }),
    icon: of.symbol === null ? "file" : "symbol-method",
    ...(of.state === "fresh" ? {} : { color: "list.warningForeground" }),
    ...(of.state === "gone" && of.symbol === null
      ? {}
      : { open: { kind: "file", path: of.path, line: of.line } }),
  };
}

function usedTimes(of: Note, on: Here): string {
  const { t } = on;
  if (of.uses === 0) return t("Not recalled yet");
  const last = of.used === null ? "" : ago(of.used, on.now, t, on.locale);
  return of.uses === 1 ? t("Recalled once, {0}", last) : t("Recalled {0} times, last {1}", of.uses, last);
}

function stateName(state: Note["state"], t: Translate): string {
  return {
    active: t("active"),
    forgotten: t("forgotten"),
    superseded: t("superseded"),
    quarantined: t("contradicts a correction"),
    dormant: t("its file is missing"),
  }[state];
}

function originName(origin: Note["origin"], t: Translate): string {
  return {
    automatic: t("captured from a prompt"),
    manual: t("written by hand"),
    agent: t("proposed by an agent"),
    correction: t("a correction"),
    file: t("from a note file"),
    profile: t("made from the notes"),
  }[origin];
}

// -- words that several rows share -----------------------------------------------

function sourceRow(id: string, of: Source, on: Here): Row {
  return {
    id,
    label: saidIn(of, on),
    description: dotted(of.agent !== null && clean(of.agent, 40), of.at !== null && ago(of.at, on.now, on.t, on.locale)),
    icon: "comment",
    open: documentOf(on, "turn", of.session, of.turn),
  };
}

export function sessionName(
  { title, agent, session }: Pick<Source, "title" | "agent" | "session">,
  t: Translate,
): string {
  if (session === "") return t("Outside of any session");
  return clean(title ?? "", 200) || dotted(clean(agent ?? "", 40), clean(session, 8));
}

export function saidIn(of: Source, { t }: Here): string {
  return t("Said in turn {0} of “{1}”", of.turn, sessionName(of, t));
}

export function categoryName(category: string, t: Translate): string {
  const names: Partial<Record<string, string>> = {
    constraint: t("constraint"),
    preference: t("preference"),
    decision: t("decision"),
    fact: t("fact"),
    episode: t("episode"),
    profile: t("profile"),
  };
  return names[category] ?? clean(category, 30);
}

/** The icon of a note's category, or of what an agent did. */
export function categoryIcon(category: string): string {
  const icons: Partial<Record<string, string>> = {
    constraint: "law",
    preference: "thumbsup",
    decision: "milestone",
    fact: "info",
    episode: "history",
    profile: "account",
  };
  return icons[category] ?? "note";
}
