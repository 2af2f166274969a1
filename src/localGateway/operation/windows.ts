/** The shortest time to wait for the first window, in milliseconds. */
const firstWindowMs = 30_000;

/** The windows that use the gateway. The gateway may end with the last of them. */
export class Windows {
  readonly #open = new Set<object>();
  readonly #graceMs: number;
  readonly #end: () => void;
  #exitsAfterWindows: boolean;
  #hadWindow = false;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param graceMs how long the gateway runs without a window, so that a window can reload
   * @param end called after that time
   */
  constructor(exitsAfterWindows: boolean, graceMs: number, end: () => void) {
    this.#exitsAfterWindows = exitsAfterWindows;
    this.#graceMs = graceMs;
    this.#end = end;
    this.#updateTimer();
  }

  get count(): number {
    return this.#open.size;
  }

  /** Whether the gateway ends with its last window. */
  get exitsAfterWindows(): boolean {
    return this.#exitsAfterWindows;
  }

  set exitsAfterWindows(exitsAfterWindows: boolean) {
    this.#exitsAfterWindows = exitsAfterWindows;
    this.#updateTimer();
  }

  /** @param window any object that identifies it */
  opened(window: object): void {
    this.#open.add(window);
    this.#hadWindow = true;
    this.#updateTimer();
  }

  closed(window: object): void {
    if (this.#open.delete(window)) this.#updateTimer();
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }

  #updateTimer(): void {
    clearTimeout(this.#timer);
    if (!this.#exitsAfterWindows || this.#open.size > 0) return;
    const graceMs = this.#hadWindow ? this.#graceMs : Math.max(firstWindowMs, this.#graceMs);
    this.#timer = setTimeout(this.#end, graceMs);
  }
}
