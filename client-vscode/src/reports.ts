/** Reports as text to be read: the doctor's and the accounts.  Pure. */
import { ago, clean } from "./labels";
import type { Line } from "./page/figures";
import type { Doctor } from "./objects";
import type { Here } from "./rows";

const marks = { ok: "✓", warn: "!", fail: "✗" } as const;

/** What the doctor found, what it needs of a person first. */
export function doctorText(of: Doctor, on: Here): string {
  const { t } = on;
  const order = { fail: 0, warn: 1, ok: 2 };
  const checks = [...of.checks].sort((a, b) => order[a.state] - order[b.state]);
  return sections(t("Ibid's doctor"), [
    [of.ok ? t("All is well.") : t("Something needs you; it stands first.")],
    [heading(t("Checks")), ...checks.flatMap((one) => [`- ${marks[one.state]} ${clean(one.message)}`, ...next(one.next)])],
    [heading(t("Agents")), ...of.agents.map((one) => agentLine(one, on))],
    of.rivals.length === 0 ? [] : [heading(t("Other memories")), ...of.rivals.flatMap((one) => [`- ${clean(one.rival)}: ${clean(one.what)} (${clean(one.where)})`, ...next(one.next)])],
    of.expiring.length === 0 ? [] : [heading(t("Sessions that their agents delete")), ...of.expiring.map((one) => expiringLine(one, on))],
    [heading(t("Versions")), ...Object.entries(of.versions).map(([name, version]) => `- ${clean(name)} ${clean(version)}`)],
  ]);
}

function next(what: string): string[] {
  return what === "" ? [] : [`  → ${clean(what)}`];
}

function agentLine(of: Doctor["agents"][number], on: Here): string {
  const { t } = on;
  const states = {
    working: t("our hooks run"),
    silent: of.installed ? t("set up, but no hook has run yet") : t("found, not set up"),
    absent: of.found ? t("found, not set up") : t("not found"),
  };
  const last = Math.max(0, ...Object.values(of.events));
  const when = last > 0 ? `, ${t("last {0}", ago(last, on.now, t, on.locale))}` : "";
  const version = of.version === null ? "" : ` ${clean(of.version, 40)}`;
  return `- ${clean(of.agent)}${version}: ${states[of.state]}${when}`;
}

function expiringLine(of: Doctor["expiring"][number], { t }: Here): string {
  const days = of.days === null ? t("never") : t("after {0} days", of.days);
  return `- ${t("{0}: {1}; {2} sessions, {3} of them soon, {4} kept by Ibid", clean(of.agent), days, of.sessions, of.soon, of.kept)}`;
}

/** The accounts in columns, one line a role and feature. */
export function accountText(lines: readonly Line[], estimator: string, { t }: Here): string {
  const head = [t("Agent"), t("Feature"), t("Gross"), t("Bounced"), t("Cost"), t("Net"), "n", t("State")];
  const rows = lines.map((line) => [
    clean(line.role, 40) || t("all roles"),
    clean(line.feature, 40),
    ...(line.unknown ? ["?", "0"] : [String(line.gross), String(0 - line.bounced)]),
    String(line.cost),
    line.unknown ? t("saving unknown") : String(line.net),
    String(line.samples),
    [clean(line.state, 20), clean(line.reason, 200)].filter((word) => word !== "").join(": "),
  ]);
  return sections(t("What memory cost and saved"), [[t("tokens, estimated by {0}", clean(estimator, 60))], table(head, rows)]);
}

/** The lines of a table; a bar in a cell stays in its cell. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const cells = (row: readonly string[]): string => row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ");
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${cells(row)} |`);
}

function heading(title: string): string {
  return `## ${title}\n`;
}

/** A document of what there is to say; empty parts are left out. */
export function sections(title: string, parts: readonly (readonly string[])[]): string {
  const filled = parts.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"));
  return `${[`# ${title}`, ...filled].join("\n\n")}\n`;
}
