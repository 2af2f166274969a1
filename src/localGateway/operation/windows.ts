/** The minimum time that the gateway waits for its first window, in milliseconds. */
const firstWindowMs = 30_000;

/** The VS Code windows that use the gateway. The gateway may end after the last window has closed. */
export class Windows {
  readonly #windows = new Set<object>();
  readonly #graceMs: number;
  readonly #onEnd: () => void;
  #exitsAfterWindows: boolean;
  #hadWindow = false;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param graceMs how long the gateway runs without a window, so that a window can reload
   * @param onEnd called when the gateway must end
   */
  constructor(exitsAfterWindows: boolean, graceMs: number, onEnd: () => void) {
    this.#exitsAfterWindows = exitsAfterWindows;
    this.#graceMs = graceMs;
    this.#onEnd = onEnd;
    this.#updateTimer();
  }

  get count(): number {
    return this.#windows.size;
  }

  /** Whether the gateway ends with its last window. */
  get exitsAfterWindows(): boolean {
    return this.#exitsAfterWindows;
  }

  set exitsAfterWindows(exitsAfterWindows: boolean) {
    this.#exitsAfterWindows = exitsAfterWindows;
    this.#updateTimer();
  }

  /** @param window any object that identifies the window */
  add(window: object): void {
    this.#windows.add(window);
    this.#hadWindow = true;
    this.#updateTimer();
  }

  remove(window: object): void {
    if (this.#windows.delete(window)) this.#updateTimer();
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }

  #updateTimer(): void {
    clearTimeout(this.#timer);
    if (!this.#exitsAfterWindows || this.#windows.size > 0) return;
    const graceMs = this.#hadWindow ? this.#graceMs : Math.max(firstWindowMs, this.#graceMs);
    this.#timer = setTimeout(this.#onEnd, graceMs);
  }
}
