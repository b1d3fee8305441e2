/** What a replay found, as text to be read (P5).  Pure. */
import { clean } from "./labels";
import type { Replayed, ReplayLine } from "./protocol";
import { sections, table } from "./reports";
import type { Here } from "./rows";

/** What memory would have cost and saved in past sessions, feature by feature. */
export function replayText(of: Replayed, on: Here): string {
  const { t } = on;
  const about = [
    t("{0} sessions of {1} files, played in the order of time; at each moment only what was known then.", of.sessions, of.files),
    t("tokens, estimated by {0}", clean(of.estimator, 60)),
  ];
  return sections(t("Replay"), [
    about,
    of.features.length === 0 ? [t("Nothing would have been given or withheld.")] : lineTable(of.features, on),
    of.roles.length === 0 ? [] : [`## ${t("By agent")}\n`, ...lineTable(of.roles, on)],
    [t("“At most” is what an injection could have spared at the very most, and no saving.")],
    of.problems.length === 0 ? [] : [`## ${t("Problems")}\n`, ...of.problems.map((problem) => `- ${clean(problem)}`)],
  ]);
}

function lineTable(lines: readonly ReplayLine[], on: Here): string[] {
  const { t } = on;
  const head = [t("Agent"), t("Feature"), t("Samples"), t("Gross"), t("Bounced"), t("Cost"), t("Net"), t("At most"), t("Used")];
  return table(head, lines.map((line) => [
    clean(line.role, 40) || t("all roles"),
    clean(line.feature, 40),
    String(line.samples),
    line.unknown ? "?" : String(line.gross),
    String(0 - line.bounced),
    String(line.cost),
    netOf(line, on),
    String(line.most),
    line.items.sent === 0 ? "" : t("{0} of {1}", line.items.used, line.items.sent),
  ]));
}

function netOf(line: ReplayLine, { t }: Here): string {
  if (line.unknown) return t("saving unknown");
  const [low, high] = line.interval ?? [];
  return low === undefined || high === undefined ? String(line.net) : t("{0} ({1} to {2})", line.net, Math.round(low), Math.round(high));
}
