import assert from "node:assert/strict";
import { test } from "node:test";

import { Pager } from "../src/pager";

function numbers(total: number): { fetch: Pager<number>["fetch"]; asked: [number, number][] } {
  const asked: [number, number][] = [];
  const fetch = (offset: number, limit: number): Promise<{ rows: number[]; total: number }> => {
    asked.push([offset, limit]);
    const size = Math.max(0, Math.min(limit, total - offset));
    return Promise.resolve({ rows: Array.from({ length: size }, (_, at) => offset + at), total });
  };
  return { fetch, asked };
}

test("a long list is read a page at a time", async () => {
  const { fetch, asked } = numbers(250);
  const pager = new Pager(fetch, 100);
  assert.equal((await pager.current()).length, 100);
  await pager.more();
  await pager.more();
  assert.equal(pager.rows.length, 250);
  assert.equal(pager.hasMore, false);
  assert.deepEqual(asked, [[0, 100], [100, 100], [200, 100]]);
});

test("nothing is asked twice unless something changed", async () => {
  const { fetch, asked } = numbers(5);
  const pager = new Pager(fetch, 100);
  await Promise.all([pager.current(), pager.current()]);
  await pager.current();
  assert.equal(asked.length, 1);
  pager.invalidate();
  await pager.current();
  assert.equal(asked.length, 2);
});

test("a change re-reads what was loaded, within a bound", async () => {
  const { fetch, asked } = numbers(10_000);
  const pager = new Pager(fetch, 100, 250);
  await pager.current();
  for (let page = 0; page < 9; page++) await pager.more();
  pager.invalidate();
  await pager.current();
  assert.deepEqual(asked.at(-1), [0, 250]);
  assert.equal(pager.hasMore, true);
});

test("a late answer to an older question is dropped", async () => {
  const answers: ((rows: number[]) => void)[] = [];
  const pager = new Pager<number>(
    () => new Promise((resolve) => answers.push((rows) => { resolve({ rows, total: rows.length }); })),
  );
  const old = pager.current();
  pager.clear();
  const fresh = pager.current();
  answers[1]?.([2]);
  await fresh;
  answers[0]?.([1]);
  await old;
  assert.deepEqual(pager.rows, [2]);
});

test("a change during a read is not lost", async () => {
  const { fetch, asked } = numbers(3);
  const pager = new Pager(fetch);
  const first = pager.current();
  pager.invalidate();
  await first;
  await pager.current();
  assert.equal(asked.length, 2);
});

test("a list that shrank under its reader ends instead of asking on", async () => {
  let total = 200;
  const pager = new Pager<number>((offset, limit) =>
    Promise.resolve({ rows: Array.from({ length: Math.max(0, Math.min(limit, total - offset)) }, () => 0), total: 200 }),
  );
  await pager.current();
  total = 100;
  await pager.more();
  assert.equal(pager.hasMore, false);
});

test("a failed read is told to its caller and tried again by the next", async () => {
  let fail = true;
  const pager = new Pager<number>(() =>
    fail ? Promise.reject(new Error("down")) : Promise.resolve({ rows: [1], total: 1 }),
  );
  await assert.rejects(pager.current(), /down/);
  fail = false;
  assert.deepEqual(await pager.current(), [1]);
});
