/**
 * When to start again: the queue of asked-for restarts, the count of crashes, and
 * the watch on answers that do not come.  Nothing here knows VS Code.
 */

/**
 * Runs one task at a time and keeps at most one more in wait.
 *
 * Ten restarts asked for while one is under way become one restart after it: each
 * caller's promise settles with the run that serves it.
 */
export class SingleFlight {
  #running: Promise<void> | undefined;
  #queued: Promise<void> | undefined;

  constructor(private readonly task: () => Promise<void>) {}

  get busy(): boolean {
    return this.#running !== undefined;
  }

  /** Settles when what is under way, or waits to be, is over; asks for nothing. */
  async settled(): Promise<void> {
    await (this.#queued ?? this.#running)?.catch(ignore);
  }

  run(): Promise<void> {
    if (this.#queued !== undefined) return this.#queued;
    if (this.#running === undefined) return this.#launch();
    const next = this.#running.then(ignore, ignore).then(() => {
      this.#queued = undefined;
      return this.#launch();
    });
    this.#queued = next;
    return next;
  }

  #launch(): Promise<void> {
    const flight = this.task().finally(() => {
      if (this.#running === flight) this.#running = undefined;
    });
    this.#running = flight;
    return flight;
  }
}

function ignore(): void {
  // The outcome belongs to whoever asked for that run.
}

/** Allows `most` crashes in `span` milliseconds; the next one is one too many. */
export class CrashLimit {
  #times: number[] = [];

  constructor(
    private readonly most = 4,
    private readonly span = 180_000,
    private readonly now: () => number = Date.now,
  ) {}

  /** Counts a crash and says whether to start again by itself. */
  mayRestart(): boolean {
    const now = this.now();
    this.#times = this.#times.filter((time) => now - time < this.span);
    this.#times.push(now);
    return this.#times.length <= this.most;
  }

  forgive(): void {
    this.#times = [];
  }
}

/**
 * Says whether the server is slow: a request has been out for `patience` ms.
 *
 * `onChange` is called only when the verdict flips.  Requests that may take their
 * time, an import for one, are not to be tracked.
 */
export class Pulse {
  readonly #late = new Set<object>();
  readonly #timers = new Map<object, ReturnType<typeof setTimeout>>();

  constructor(
    private readonly onChange: (slow: boolean) => void,
    private readonly patience = 3000,
  ) {}

  get slow(): boolean {
    return this.#late.size > 0;
  }

  /** Watches an answer; resolves or rejects exactly as it does. */
  async track<R>(answer: Promise<R>): Promise<R> {
    const key = {};
    this.#timers.set(
      key,
      setTimeout(() => {
        this.#flip(() => this.#late.add(key));
      }, this.patience),
    );
    try {
      return await answer;
    } finally {
      clearTimeout(this.#timers.get(key));
      this.#timers.delete(key);
      this.#flip(() => this.#late.delete(key));
    }
  }

  /** Forgets everything outstanding: the server it was asked of is gone. */
  reset(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    this.#flip(() => {
      this.#late.clear();
    });
  }

  #flip(change: () => unknown): void {
    const before = this.slow;
    change();
    if (before !== this.slow) this.onChange(this.slow);
  }
}
