import assert from "node:assert/strict";
import { test } from "node:test";

import { locate, sameVersion, type Surroundings } from "../src/locate";

interface World extends Partial<Surroundings> {
  readonly files?: readonly string[];
}

function around({ files = [], ...given }: World = {}): Surroundings {
  return {
    setting: "",
    trusted: true,
    folders: ["/home/me/shop"],
    platform: "linux",
    home: "/home/me",
    env: { PATH: "/usr/bin:/opt/bin" },
    isExecutable: (path) => Promise.resolve(files.includes(path)),
    interpreter: () => Promise.resolve(undefined),
    hasServer: () => Promise.resolve(false),
    ...given,
  };
}

test("the setting comes first", async () => {
  const found = await locate(around({ setting: "/x/ibid", files: ["/x/ibid", "/usr/bin/ibid"] }));
  assert.deepEqual(found, { kind: "found", command: "/x/ibid", args: ["lsp"], via: "setting" });
});

test("a setting that names nothing is said, and nothing else is tried", async () => {
  const found = await locate(around({ setting: "~/gone/ibid", files: ["/usr/bin/ibid"] }));
  assert.equal(found.kind, "missing");
  assert.equal(found.wrongSetting, "/home/me/gone/ibid");
});

test("the PATH is searched in its order", async () => {
  const found = await locate(around({ files: ["/opt/bin/ibid", "/usr/bin/ibid"] }));
  assert.deepEqual(found, { kind: "found", command: "/usr/bin/ibid", args: ["lsp"], via: "path" });
});

test("where tools install commands counts as PATH", async () => {
  const found = await locate(around({ files: ["/home/me/.local/bin/ibid"] }));
  assert.equal(found.kind === "found" && found.command, "/home/me/.local/bin/ibid");
});

test("a relative PATH entry is never used", async () => {
  const found = await locate(around({ env: { PATH: ".:bin:" }, files: ["./ibid", "bin/ibid", "/ibid"] }));
  assert.equal(found.kind, "missing");
});

test("the selected interpreter serves if it has the package", async () => {
  const interpreter = (): Promise<string> => Promise.resolve("/v/bin/python");
  const with_ = await locate(around({ interpreter, hasServer: () => Promise.resolve(true) }));
  assert.deepEqual(with_, {
    kind: "found",
    command: "/v/bin/python",
    args: ["-m", "ibid", "lsp"],
    via: "interpreter",
  });
  assert.equal((await locate(around({ interpreter }))).kind, "missing");
});

test("without trust nothing of the workspace is started, not even asked", async () => {
  const world = around({
    trusted: false,
    env: { PATH: "/home/me/shop/node_modules/.bin:/home/me/shopping" },
    files: ["/home/me/shop/node_modules/.bin/ibid"],
    interpreter: () => Promise.reject(new Error("the workspace's interpreter was asked")),
    hasServer: () => Promise.reject(new Error("an interpreter was run")),
  });
  assert.equal((await locate(world)).kind, "missing");
  const beside = { ...world, isExecutable: (path: string) => Promise.resolve(path === "/home/me/shopping/ibid") };
  assert.equal((await locate(beside)).kind, "found");
});

test("the install command is the best tool's that is there", async () => {
  const install = async (...files: string[]): Promise<string> => {
    const found = await locate(around({ files }));
    return found.kind === "missing" ? found.install : "found";
  };
  assert.equal(await install("/usr/bin/uv", "/usr/bin/pipx"), "uv tool install ibid-memory");
  assert.equal(await install("/usr/bin/pipx"), "pipx install ibid-memory");
  assert.equal(await install(), "python3 -m pip install --user ibid-memory");
});

test("on Windows the command is an .exe of an absolute PATH entry", async () => {
  const windows = {
    platform: "win32",
    home: "C:\\Users\\me",
    folders: ["C:\\shop"],
    env: { Path: "C:\\tools;bin" },
  } as const;
  const found = await locate(around({ ...windows, files: ["C:\\tools\\ibid.exe"] }));
  assert.equal(found.kind === "found" && found.command, "C:\\tools\\ibid.exe");
  const inside = { ...windows, trusted: false, env: { Path: "c:\\SHOP\\bin" } };
  assert.equal((await locate(around({ ...inside, files: ["c:\\SHOP\\bin\\ibid.exe"] }))).kind, "missing");
});

test("client and server versions are compared without their build marks", () => {
  assert.equal(sameVersion("0.1.0", "0.1.0+local"), true);
  assert.equal(sameVersion("0.1.0", "0.2.0"), false);
});
