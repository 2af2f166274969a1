/** How soon a second click follows the first, in milliseconds. */
const doubleClickMs = 500;

/** How soon VS Code opens a row after Enter, in milliseconds. */
const enterMs = 1000;

/**
 * Tells whether a row is opened to stay: by a double click or by Enter, as files are. VS Code tells an extension
 * neither, only that a row was opened.
 */
export class RowClicks {
  #last: { readonly row: string; readonly at: number } | undefined;
  #enteredAt = Number.NEGATIVE_INFINITY;

  /** Enter was pressed: VS Code opens the focused row. */
  entered(): void {
    this.#enteredAt = performance.now();
  }

  /** A row was opened. Returns whether it is to stay. */
  opens(row: string): boolean {
    const at = performance.now();
    const isSecond = this.#last?.row === row && at - this.#last.at < doubleClickMs;
    const isEntered = at - this.#enteredAt < enterMs;
    this.#last = { row, at };
    this.#enteredAt = Number.NEGATIVE_INFINITY;
    return isSecond || isEntered;
  }
}
