/** The net (P2): what memory cost and saved, per role and feature. */
import { clean } from "../labels";
import type { Ibid } from "../context";
import * as wire from "../protocol";
import { netRow } from "../records";
import { here, Tree, type Node } from "./tree";

export function createNet(ibid: Ibid): Tree<wire.NetLine> {
  let estimator = "";
  return new Tree<wire.NetLine>(ibid, {
    id: "ibid.net",
    follows: ["receipts", "turns"],
    async fetch() {
      const report = await ibid.ask(wire.report, {});
      estimator = report.estimator;
      return { rows: report.roles, total: report.roles.length };
    },
    arrange: (values) => byRole(ibid, values, estimator),
  });
}

function byRole(ibid: Ibid, lines: readonly wire.NetLine[], estimator: string): Node[] {
  const widest = Math.max(0, ...lines.filter((line) => !line.unknown).map((line) => Math.abs(line.net)));
  const roles = [...new Set(lines.map((line) => line.role))];
  return roles.map((role) => ({
    row: {
      id: `role/${role}`,
      label: clean(role, 60) || here(ibid).t("all roles"),
      description: clean(estimator, 60),
      icon: "hubot",
    },
    children: () => lines.filter((line) => line.role === role).map((line) => ({ row: netRow(line, widest, here(ibid)), value: line })),
    expanded: true,
  }));
}
