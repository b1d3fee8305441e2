/** The switches, for this project and for all (H2, A5). */
import * as vscode from "vscode";

import type { Parts, Verbs } from "../commands";
import * as wire from "../protocol";
import { icon } from "./asking";

export function policyVerbs({ ibid }: Parts): Verbs {
  return {
    "ibid.togglePolicy": async () => {
      const policies = await ibid.ask(wire.policy.get, {});
      const choice = await pickSwitch(policies);
      if (choice === undefined) return;
      const value = await pickValue(choice, policies);
      if (value === undefined) return;
      await ibid.ask(wire.policy.set, { ...choice, value: value.value });
      ibid.touched(["policy"]);
    },
  };
}

interface Choice {
  readonly scope: "global" | "project";
  readonly name: keyof wire.Policy;
}

const numbers = ["settling", "budget", "control"] as const;
const names = [
  ...(["master", "learn", "recall", "external", "promotion", "history", "hint", "files", "editor"] as const),
  ...numbers,
] as const;

function isNumber(name: keyof wire.Policy): name is (typeof numbers)[number] {
  return numbers.some((one) => one === name);
}

async function pickSwitch(policies: wire.Policies): Promise<Choice | undefined> {
  const section = (label: string): vscode.QuickPickItem => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const rows = (scope: Choice["scope"]): (vscode.QuickPickItem & Choice)[] =>
    names.map((name) => ({
      label: switchName(name),
      description: stateOf(policies, { scope, name }),
      iconPath: icon(switchIcon(policies[scope][name] ?? policies.effective[name])),
      scope,
      name,
    }));
  const items: (vscode.QuickPickItem & Partial<Choice>)[] = [
    section(vscode.l10n.t("This project")),
    ...rows("project"),
    section(vscode.l10n.t("All projects")),
    ...rows("global"),
  ];
  const picked = await vscode.window.showQuickPick(items, { title: vscode.l10n.t("Memory switches") });
  if (picked?.scope === undefined || picked.name === undefined) return undefined;
  return { scope: picked.scope, name: picked.name };
}

function stateOf(policies: wire.Policies, { scope, name }: Choice): string {
  const own = policies[scope][name];
  if (own !== null) return valueName(name, own);
  return vscode.l10n.t("{0} (inherited)", valueName(name, policies.effective[name]));
}

interface Value {
  readonly value: boolean | string | number | null;
}

async function pickValue({ scope, name }: Choice, policies: wire.Policies): Promise<Value | undefined> {
  const title = switchName(name);
  if (isNumber(name)) return askNumber(title, policies[scope][name]);
  const own = policies[scope][name];
  const values: (boolean | string | null)[] = [...valuesOf[name], null];
  const items = values.map((value) => ({
    label: value === null ? inherit(scope) : valueName(name, value),
    iconPath: icon(value === own ? "check" : "blank"),
    value,
  }));
  return vscode.window.showQuickPick(items, { title });
}

async function askNumber(prompt: string, now: number | null): Promise<Value | undefined> {
  const given = await vscode.window.showInputBox({
    prompt: vscode.l10n.t("{0} (empty: as inherited)", prompt),
    value: now === null ? "" : String(now),
    validateInput: (text) => (/^\d{0,6}$/.test(text.trim()) ? undefined : vscode.l10n.t("A whole number, please.")),
  });
  if (given === undefined) return undefined;
  return { value: given.trim() === "" ? null : Number(given) };
}

const valuesOf = {
  master: [true, false],
  learn: [true, false],
  recall: [true, false],
  external: ["on", "own", "off"],
  promotion: ["auto", "review"],
  history: ["wait", "auto"],
  hint: ["on", "session", "off"],
  files: [true, false],
  editor: [true, false],
} as const;

function inherit(scope: Choice["scope"]): string {
  return scope === "project" ? vscode.l10n.t("As for all projects") : vscode.l10n.t("As shipped");
}

function switchName(name: keyof wire.Policy): string {
  return {
    master: vscode.l10n.t("Memory"),
    learn: vscode.l10n.t("Learn from sessions"),
    recall: vscode.l10n.t("Recall into prompts"),
    external: vscode.l10n.t("Learn from turns with outside text"),
    promotion: vscode.l10n.t("Candidates become notes"),
    history: vscode.l10n.t("Candidates from your history"),
    files: vscode.l10n.t("Keep curated notes as files in .ibid/notes"),
    editor: vscode.l10n.t("Remember which files you open and save"),
    settling: vscode.l10n.t("Minutes a candidate settles"),
    budget: vscode.l10n.t("Most tokens of a recalled block"),
    hint: vscode.l10n.t("Tell agents what was read before"),
    control: vscode.l10n.t("Percent of sessions that go without, to compare"),
  }[name];
}

function switchIcon(value: boolean | string | number | null): string {
  if (value === false || value === "off") return "circle-slash";
  return value === null ? "blank" : "pass";
}

function valueName(name: keyof wire.Policy, value: boolean | string | number | null): string {
  if (value === true) return vscode.l10n.t("on");
  if (value === false) return vscode.l10n.t("off");
  if (value === null) return vscode.l10n.t("as shipped");
  if (typeof value === "number") return String(value);
  return valueWords(name)[value] ?? value;
}

function valueWords(name: keyof wire.Policy): Record<string, string> {
  if (name === "external") {
    return {
      on: vscode.l10n.t("on"),
      own: vscode.l10n.t("only from turns without outside text"),
      off: vscode.l10n.t("only from turns without any tools or context"),
    };
  }
  if (name === "promotion") {
    return { auto: vscode.l10n.t("by themselves"), review: vscode.l10n.t("only after review") };
  }
  if (name === "hint") {
    return {
      on: vscode.l10n.t("every session that starts"),
      session: vscode.l10n.t("only who begins anew within its session"),
      off: vscode.l10n.t("nobody"),
    };
  }
  return { wait: vscode.l10n.t("wait for review"), auto: vscode.l10n.t("become notes by themselves") };
}
