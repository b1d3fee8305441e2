import assert from "node:assert/strict";
import { test } from "node:test";

import { hasIbid, parseLoose, startsIbid } from "../src/registered";

test("Ibid's server is known by what it runs, whatever it is called", () => {
  const servers = (command: string, ...args: string[]): string => JSON.stringify({ servers: { memory: { command, args } } });
  assert.ok(startsIbid(servers("ibid", "mcp")));
  assert.ok(startsIbid(servers("/home/ada/.local/bin/ibid", "mcp", "--project", "/x")));
  assert.ok(startsIbid(servers("C:\\tools\\ibid.exe", "mcp")));
  assert.ok(startsIbid(servers("python3", "-m", "ibid", "mcp")));
  assert.ok(startsIbid(servers("uvx", "--from", "ibid-memory", "ibid", "mcp")));
  assert.ok(!startsIbid(servers("ibid", "lsp")));
  assert.ok(!startsIbid(servers("node", "ibid.js", "mcp")));
  assert.ok(!startsIbid(servers("mcp", "ibid")));
});

test("all places a list can stand in are looked at", () => {
  const ibid = { command: "ibid", args: ["mcp"] };
  assert.ok(hasIbid({ servers: { a: { command: "x" }, b: ibid } }));
  assert.ok(hasIbid({ mcpServers: { b: ibid } }));
  assert.ok(hasIbid({ mcp: { servers: { b: ibid } } }));
  for (const odd of [undefined, null, [], "ibid mcp", { servers: [ibid] }, { servers: { a: null } }]) {
    assert.ok(!hasIbid(odd));
  }
});

test("comments and trailing commas are no obstacle, in strings they are text", () => {
  const text = `\ufeff{
    // ours: "ibid"
    "servers": { /* one */
      "a": { "url": "http://localhost/*x*/", "note": "a,] // b", },
    },
  }`;
  assert.deepEqual(parseLoose(text), { servers: { a: { url: "http://localhost/*x*/", note: "a,] // b" } } });
  assert.equal(parseLoose("{"), undefined);
  assert.equal(startsIbid(""), false);
});

test("a megabyte of what is never closed is read in linear time", () => {
  assert.equal(parseLoose('"'.repeat(1_000_000)), undefined);
  assert.equal(parseLoose("/* ".repeat(330_000)), undefined);
  assert.equal(parseLoose(`"${'\\"'.repeat(500_000)}`), undefined);
  assert.equal(parseLoose(", ".repeat(500_000)), undefined);
});
