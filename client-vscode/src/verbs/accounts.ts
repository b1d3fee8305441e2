/** What memory cost and saved: its page, and turning back on what was switched off (P2, P3). */
import * as vscode from "vscode";

import type { Parts, Verbs } from "../commands";
import type { Ibid } from "../context";
import { noIcons } from "../labels";
import { figuresOf, type Line } from "../page/figures";
import * as wire from "../protocol";
import { turnOn } from "../views/netpage";
import { valueOf } from "../views/tree";
import { icon } from "./asking";

export function accountVerbs({ ibid, netPage }: Parts): Verbs {
  return {
    "ibid.openNet": () => {
      netPage.show();
    },
    "ibid.enableFeature": async (node?: unknown) => {
      const line = (valueOf(node) as Line | undefined) ?? (await pickDemoted(ibid));
      if (line !== undefined) await turnOn(ibid, line.role, line.feature);
    },
  };
}

async function pickDemoted(ibid: Ibid): Promise<Line | undefined> {
  const { lines } = figuresOf(await ibid.ask(wire.report, {}));
  const off = lines.filter((line) => line.state === "demoted");
  if (off.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t("No feature is switched off."));
    return undefined;
  }
  const items = off.map((line) => ({
    label: noIcons(line.feature, 40),
    description: noIcons(line.role, 40),
    detail: noIcons(line.reason, 200),
    iconPath: icon("circle-slash"),
    line,
  }));
  const picked = await vscode.window.showQuickPick(items, { title: vscode.l10n.t("Turn what back on?") });
  return picked?.line;
}
