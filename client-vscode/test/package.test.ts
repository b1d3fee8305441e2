import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(__dirname, "..", "..");

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly menus: Readonly<Record<string, readonly { readonly command: string }[]>>;
    readonly keybindings: readonly { readonly command: string }[];
    readonly configuration: { readonly properties: Readonly<Record<string, { readonly scope?: string }>> };
    readonly viewsWelcome: readonly { readonly contents: string }[];
  };
  readonly capabilities: { readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] } };
}

function read(...path: string[]): string {
  return readFileSync(join(root, ...path), "utf8");
}

function json(...path: string[]): unknown {
  return JSON.parse(read(...path));
}

function sources(folder = join(root, "src")): string {
  return readdirSync(folder, { withFileTypes: true })
    .map((entry) => (entry.isDirectory() ? sources(join(folder, entry.name)) : readFileSync(join(folder, entry.name), "utf8")))
    .join("\n");
}

function found(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? ""))].sort();
}

const manifest = json("package.json") as Manifest;
const source = sources();

test("every contributed command is implemented, and every implemented one contributed", () => {
  const contributed = manifest.contributes.commands.map(({ command }) => command).sort();
  assert.deepEqual(found(source, /^ {4}"(ibid\.\w+)":/gm), contributed);
});

test("menus, keys and welcome texts name only commands there are", () => {
  const { commands, menus, keybindings } = manifest.contributes;
  const known = new Set(commands.map(({ command }) => command));
  const named = [...Object.values(menus).flat(), ...keybindings].map(({ command }) => command);
  const welcomes = found(read("package.nls.json"), /\(command:(ibid\.\w+)\)/g);
  for (const command of [...named, ...welcomes]) assert.ok(known.has(command), command);
});

test("no command of the client has an id the server could register", () => {
  for (const { command } of manifest.contributes.commands) {
    assert.doesNotMatch(command, /^ibid\.server\./);
  }
});

test("a setting that names something to run is the person's alone", () => {
  for (const [name, { scope }] of Object.entries(manifest.contributes.configuration.properties)) {
    if (!/path|command|args/i.test(name)) continue;
    assert.equal(scope, "machine", name);
    assert.ok(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.includes(name), name);
  }
});

test("every setting that is read is declared", () => {
  const declared = Object.keys(manifest.contributes.configuration.properties);
  for (const name of found(source, /(?:get|inspect)(?:<(?:string|boolean|number)>)?\("([a-zA-Z]+\.[a-z]+)"/g)) {
    assert.ok(declared.includes(`ibid.${name}`), name);
  }
});

test("every text of the manifest has its words in both languages", () => {
  const used = found(read("package.json"), /"%([\w.]+)%"/g);
  for (const language of ["package.nls.json", "package.nls.zh-cn.json"]) {
    assert.deepEqual(Object.keys(json(language) as object).sort(), used, language);
  }
});

test("every text of the program has a Chinese translation with the same places", () => {
  const bundle = json("l10n", "bundle.l10n.zh-cn.json") as Record<string, string>;
  const texts = found(source, /\bt\(\s*"((?:[^"\\]|\\.)*)"/g).map((text) => JSON.parse(`"${text}"`) as string);
  assert.deepEqual(Object.keys(bundle).sort(), texts.sort());
  for (const [text, translated] of Object.entries(bundle)) {
    assert.deepEqual(found(translated, /(\{\d\})/g), found(text, /(\{\d\})/g), text);
  }
});

test("the typed protocol names the methods of the protocol's page, and no other", () => {
  const page = read("..", "docs", "protocol.md");
  const method = /`(ibid\/\w+(?:\/\w+)?)`/g;
  assert.deepEqual(found(read("src", "protocol.ts"), /"(ibid\/\w+(?:\/\w+)?)"/g), found(page, method));
});

test("the lock file names packages and digests, but no place to get them from", () => {
  assert.doesNotMatch(read("package-lock.json"), /"resolved"/);
});
