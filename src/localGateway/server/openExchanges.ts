import type { Exchange } from './exchange.ts';

/**
 * The exchanges under way. They stand in an array, because a Set that much is added to and taken from leaves
 * tables behind, which keep requests that are over until the old generation is collected.
 */
export class OpenExchanges {
  readonly #open: Exchange[] = [];

  add(exchange: Exchange): void {
    exchange.place = this.#open.length;
    this.#open.push(exchange);
  }

  /** Takes out one that was added, whose place the last one takes. */
  delete(exchange: Exchange): void {
    const last = this.#open.pop();
    if (!last || last === exchange) return;
    last.place = exchange.place;
    this.#open[last.place] = last;
  }

  abort(reason: unknown): void {
    for (const exchange of [...this.#open]) exchange.abort(reason);
  }
}
