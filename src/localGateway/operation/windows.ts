/** How long the gateway waits for its first window at least, in milliseconds. */
const firstMs = 30_000;

/** The windows that use the gateway, which may end with the last of them. */
export class Windows {
  readonly #open = new Set<object>();
  readonly #graceMs: number;
  readonly #end: () => void;
  #whileWindows: boolean;
  #hadWindow = false;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param graceMs how long it goes on without a window, so that one may be reloaded
   * @param end called once that time is over
   */
  constructor(whileWindows: boolean, graceMs: number, end: () => void) {
    this.#whileWindows = whileWindows;
    this.#graceMs = graceMs;
    this.#end = end;
    this.#decide();
  }

  get count(): number {
    return this.#open.size;
  }

  /** Whether the gateway ends with its last window. */
  get whileWindows(): boolean {
    return this.#whileWindows;
  }

  set whileWindows(whileWindows: boolean) {
    this.#whileWindows = whileWindows;
    this.#decide();
  }

  /** @param window any object that stands for it */
  opened(window: object): void {
    this.#open.add(window);
    this.#hadWindow = true;
    this.#decide();
  }

  closed(window: object): void {
    if (this.#open.delete(window)) this.#decide();
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }

  #decide(): void {
    clearTimeout(this.#timer);
    if (!this.#whileWindows || this.#open.size > 0) return;
    const graceMs = this.#hadWindow ? this.#graceMs : Math.max(firstMs, this.#graceMs);
    this.#timer = setTimeout(this.#end, graceMs);
  }
}
