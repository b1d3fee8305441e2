/**
 * A list that is read in pages, so that ten thousand rows cost what is looked at.
 */

export interface Page<T> {
  readonly rows: readonly T[];
  readonly total: number;
}

/** Holds the pages loaded so far; a late answer to an older question is dropped. */
export class Pager<T> {
  rows: readonly T[] = [];
  total = 0;
  /** Whether anything was ever loaded. */
  loaded = false;
  /* Counts changes: an answer is fresh if none came since it was asked for. */
  #changes = 1;
  #shown = 0;
  #asked = 0;
  #reading: { readonly changes: number; readonly done: Promise<void> } | undefined;

  constructor(
    private readonly fetch: (offset: number, limit: number) => Promise<Page<T>>,
    private readonly size = 100,
    private readonly most = 500,
  ) {}

  get hasMore(): boolean {
    return this.rows.length < this.total;
  }

  invalidate(): void {
    this.#changes += 1;
  }

  /** Forgets all rows, as when the question itself changed. */
  clear(): void {
    this.#asked += 1;
    this.rows = [];
    this.total = 0;
    this.loaded = false;
    this.#changes += 1;
  }

  /** The rows, read again first if something changed since. */
  async current(): Promise<readonly T[]> {
    if (this.#shown !== this.#changes) await this.#readOnce();
    return this.rows;
  }

  /** Reads the next page after the rows there are. */
  async more(): Promise<void> {
    const asked = ++this.#asked;
    const page = await this.fetch(this.rows.length, this.size);
    if (asked !== this.#asked) return;
    this.rows = page.rows.length > 0 ? [...this.rows, ...page.rows] : this.rows;
    this.total = page.rows.length > 0 ? page.total : this.rows.length;
  }

  #readOnce(): Promise<void> {
    const changes = this.#changes;
    if (this.#reading?.changes === changes) return this.#reading.done;
    const done = this.#reload(changes).finally(() => {
      if (this.#reading?.done === done) this.#reading = undefined;
    });
    this.#reading = { changes, done };
    return done;
  }

  /* A change re-reads what was loaded, up to a bound that one answer carries well. */
  async #reload(changes: number): Promise<void> {
    const asked = ++this.#asked;
    const limit = Math.min(Math.max(this.rows.length, this.size), this.most);
    const page = await this.fetch(0, limit);
    if (asked !== this.#asked) return;
    this.rows = page.rows;
    this.total = page.total;
    this.loaded = true;
    this.#shown = changes;
  }
}
