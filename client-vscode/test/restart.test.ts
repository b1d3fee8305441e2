import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { CrashLimit, Pulse, SingleFlight } from "../src/restart";

function gate(): { open: () => void; wait: Promise<void> } {
  let open: () => void = () => undefined;
  const wait = new Promise<void>((resolve) => (open = resolve));
  return { open, wait };
}

test("restarts asked for during a restart become one more, not many", async () => {
  const gates = [gate(), gate(), gate()];
  let runs = 0;
  const flight = new SingleFlight(() => gates[runs++]?.wait ?? Promise.reject(new Error("a third run")));
  const first = flight.run();
  const others = [flight.run(), flight.run(), flight.run()];
  assert.equal(runs, 1);
  gates[0]?.open();
  await first;
  gates[1]?.open();
  await Promise.all(others);
  assert.equal(runs, 2);
  assert.equal(flight.busy, false);
});

test("two runs never overlap", async () => {
  let inside = 0;
  let most = 0;
  const flight = new SingleFlight(async () => {
    most = Math.max(most, ++inside);
    await new Promise((resolve) => setTimeout(resolve, 2));
    inside -= 1;
  });
  const asked: Promise<void>[] = [];
  for (let round = 0; round < 10; round++) {
    asked.push(flight.run());
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(asked);
  assert.equal(most, 1);
});

test("a failed start fails its caller and leaves the next one its chance", async () => {
  let fail = true;
  const flight = new SingleFlight(() => (fail ? Promise.reject(new Error("no")) : Promise.resolve()));
  await assert.rejects(flight.run(), /no/);
  fail = false;
  await flight.run();
});

test("a queued restart runs although the one before it failed", async () => {
  let runs = 0;
  const flight = new SingleFlight(() => (++runs === 1 ? Promise.reject(new Error("no")) : Promise.resolve()));
  const first = flight.run();
  const second = flight.run();
  await assert.rejects(first, /no/);
  await second;
  assert.equal(runs, 2);
});

test("a server that crashes again and again is left down until its span is over", () => {
  let now = 0;
  const limit = new CrashLimit(2, 1000, () => now);
  assert.deepEqual([limit.mayRestart(), limit.mayRestart(), limit.mayRestart()], [true, true, false]);
  now = 1001;
  assert.equal(limit.mayRestart(), true);
  assert.equal(limit.mayRestart(), true);
  limit.forgive();
  assert.equal(limit.mayRestart(), true);
});

test("the server is slow from the first late answer to the last", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const verdicts: boolean[] = [];
    const pulse = new Pulse((slow) => verdicts.push(slow), 100);
    const one = gate();
    const two = gate();
    const answers = [pulse.track(one.wait), pulse.track(two.wait)];
    mock.timers.tick(99);
    assert.deepEqual(verdicts, []);
    mock.timers.tick(1);
    assert.deepEqual(verdicts, [true]);
    one.open();
    await answers[0];
    assert.equal(pulse.slow, true);
    two.open();
    await answers[1];
    assert.deepEqual(verdicts, [true, false]);
  } finally {
    mock.timers.reset();
  }
});

test("an answer in time, or none at all after a reset, is not slow", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const verdicts: boolean[] = [];
    const pulse = new Pulse((slow) => verdicts.push(slow), 100);
    await pulse.track(Promise.resolve(1));
    void pulse.track(new Promise(() => undefined));
    pulse.reset();
    mock.timers.tick(1000);
    assert.deepEqual(verdicts, []);
  } finally {
    mock.timers.reset();
  }
});

test("tracking passes an error on unchanged", async () => {
  const pulse = new Pulse(() => undefined, 100);
  await assert.rejects(pulse.track(Promise.reject(new Error("as it is"))), /as it is/);
});

test("waiting for a start that is under way asks for no other", async () => {
  const start = gate();
  let runs = 0;
  const flight = new SingleFlight(() => {
    runs += 1;
    return start.wait;
  });
  await flight.settled();
  const started = flight.run();
  let over = false;
  const waiting = flight.settled().then(() => (over = true));
  await Promise.resolve();
  assert.equal(over, false);
  start.open();
  await Promise.all([started, waiting]);
  assert.equal(runs, 1);
});
