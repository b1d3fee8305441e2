/**
 * What a row says of the record: injections and their items, sessions, the net.  Pure,
 * as `rows.ts`.
 */
import { archivedIcon } from "./archived";
import { ago, clean, cleanLines, dotted, type Translate } from "./labels";
import type { Hit, NetLine, Preset, RecalledItem, Receipt, Session } from "./protocol";
import {
  categoryIcon,
  categoryName,
  documentOf,
  saidIn,
  sessionName,
  type Here,
  type Row,
  type Target,
} from "./rows";

// -- receipts --------------------------------------------------------------------

export function receiptRow(of: Receipt, on: Here): Row {
  const { t } = on;
  const size = t("{0} tokens", of.tokens);
  const what = of.kind === "block" ? itemCount(of.items.length, t) : kindName(of.kind, t);
  return {
    id: of.id,
    label: `${what}, ${size}`,
    description: dotted(
      of.turn !== null && t("turn {0}", of.turn),
      ago(of.at, on.now, t, on.locale),
      layerCounts(of.items),
      of.erased && (of.items.some((one) => one.text !== "") ? t("partly erased") : t("erased")),
      of.control === "withheld" && t("withheld, to compare"),
    ),
    tooltip: [
      t("Memory used: {0}, {1}", what, size),
      ...(of.query === null ? [] : [t("Asked: {0}", clean(of.query))]),
      dotted(of.agent, of.role !== of.agent && of.role, of.estimator),
    ],
    icon: of.erased ? "circle-slash" : kindIcons[of.kind],
    context: "receipt",
    open: documentOf(on, "receipt", of.id),
  };
}

/** One recalled item; a message opens its turn, everything else its note, where that is. */
export function itemRow(receipt: string, of: RecalledItem, on: Here): Row {
  const { t } = on;
  const source = of.source === null ? [t("written by hand")] : [saidIn(of.source, on)];
  return {
    id: `${receipt}/${of.id}`,
    label: clean(of.text.replace(blockHead, "")) || t("(erased)"),
    description: dotted(
      of.layer,
      of.category && categoryName(of.category, t),
      of.score.toFixed(2),
      of.projectName && t("from {0}", clean(of.projectName)),
    ),
    tooltip: [cleanLines(of.text), ...source, ...(of.project ? [clean(of.project)] : [])],
    icon: layerIcon(of.layer, of.category),
    ...itemTarget(of, on),
  };
}

/* In a block each line begins with layer, category and id, which the row shows apart. */
const blockHead = /^\[L[0-3] [^\]]{0,140}\] /;

function itemTarget(of: RecalledItem | Hit, on: Here): { open?: Target } {
  if (of.project) return { open: documentOf({ ...on, project: of.project }, "note", of.id) };
  if (of.layer !== "L0" && of.layer !== "archive") return { open: documentOf(on, "note", of.id) };
  if (of.source === null) return {};
  return { open: documentOf(on, "turn", of.source.session, of.source.turn) };
}

/** A hit of a search: as a recalled item, or the archived text it lies in. */
export function hitTarget(of: Hit, on: Here): Target | undefined {
  if (of.layer === "archive") return documentOf(on, "archive", of.handle ?? of.id);
  return itemTarget(of, on).open;
}

const kindIcons: Record<Receipt["kind"], string> = {
  block: "quote",
  pins: "pinned",
  hint: "lightbulb",
  handoff: "arrow-right",
};

function kindName(kind: Receipt["kind"], t: Translate): string {
  return { block: t("block"), pins: t("pins"), hint: t("hint"), handoff: t("handoff") }[kind];
}

function itemCount(count: number, t: Translate): string {
  return count === 1 ? t("1 item") : t("{0} items", count);
}

function layerCounts(items: readonly RecalledItem[]): string {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item.layer, (counts.get(item.layer) ?? 0) + 1);
  return dotted(...[...counts].sort().map(([layer, count]) => `${layer} ${count}`));
}

// -- sessions --------------------------------------------------------------------

export function sessionRow(of: Session, on: Here): Row {
  const { t } = on;
  return {
    id: of.session,
    label: sessionName(of, t),
    description: dotted(
      clean(of.agent, 40),
      of.turns === 1 ? t("1 turn") : t("{0} turns", of.turns),
      ago(of.at, on.now, t, on.locale),
      of.preset !== "default" && presetName(of.preset, t),
    ),
    tooltip: [
      clean(of.title ?? of.session),
      dotted(of.agent, of.role !== of.agent && of.role, of.state),
      t("Memory: {0}", presetName(of.preset, t)),
      ...(of.kept ? [t("Its transcript is kept")] : []),
    ],
    icon: presetIcons[of.preset],
    context: of.kept ? "session.kept" : "session",
    ...(of.turns > 0 ? { open: documentOf(on, "turn", of.session, of.turns) } : {}),
  };
}

export const presetIcons: Record<Preset | "custom", string> = {
  default: "comment-discussion",
  "memory-on": "pass",
  "recall-only": "book",
  private: "lock",
  "learn-only": "mortar-board",
  custom: "settings",
};

export function presetName(preset: Preset | "custom", t: Translate): string {
  return {
    default: t("Default"),
    "memory-on": t("Memory on"),
    "recall-only": t("Recall only"),
    private: t("Private session"),
    "learn-only": t("Learn only"),
    custom: t("Custom"),
  }[preset];
}

export function layerIcon(layer: Hit["layer"], category: string | null): string {
  if (layer === "archive") return archivedIcon(category ?? "");
  if (layer === "L0") return "comment";
  if (category !== null) return categoryIcon(category);
  return { L1: "note", L2: "history", L3: "account" }[layer];
}

// -- net -------------------------------------------------------------------------

/** What one feature cost and saved for one role, as a signed net with its bar. */
export function netRow(of: NetLine, widest: number, on: Here): Row {
  const { t } = on;
  const numbers = t("gross {0} · bounced −{1} · cost {2}", count(of.gross), count(of.bounced), count(of.cost));
  const net = of.unknown ? t("cost {0}, saving unknown", count(of.cost)) : t("net {0}", signed(of.net));
  return {
    id: `${of.role}/${of.feature}`,
    label: `${clean(of.feature, 40)}  ${net}`,
    description: dotted(of.unknown ? "" : bar(of.net, widest), stateOfFeature(of.state, t), `n=${of.samples}`),
    tooltip: [`${of.role} · ${of.feature}`, numbers, net, of.reason],
    icon: of.unknown ? "question" : of.net < 0 ? "arrow-down" : "arrow-up",
    context: of.state === "demoted" ? "net.demoted" : "net",
    ...(!of.unknown && of.net < 0 ? { color: "list.warningForeground" } : {}),
  };
}

function stateOfFeature(state: string, t: Translate): string {
  return { measuring: t("measuring only"), demoted: t("switched off") }[state] ?? "";
}

/* Eight blocks for the widest, at least one for anything that is not nothing. */
function bar(net: number, widest: number): string {
  if (net === 0 || widest === 0) return "";
  return "▇".repeat(Math.max(1, Math.round((8 * Math.abs(net)) / widest)));
}

/** Tokens with their sign: `+1,200`. */
export function signed(tokens: number): string {
  return tokens < 0 ? `−${count(-tokens)}` : `+${count(tokens)}`;
}

function count(tokens: number): string {
  return tokens.toLocaleString("en");
}
