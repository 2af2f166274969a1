/**
 * The ids of tool calls in a format where they may have none: then the results follow in the order of the calls
 * of the same name.
 */
export class TurnCalls {
  readonly #waiting = new Map<string, string[]>();
  #count = 0;

  /** @returns the id of a call */
  call(id: string | undefined, name: string): string {
    const given = id || `call_${this.#count}`;
    this.#count++;
    if (!id) this.#waiting.set(name, [...(this.#waiting.get(name) ?? []), given]);
    return given;
  }

  /** @returns the id of the call that a result answers */
  result(id: string | undefined, name: string): string {
    if (id) return id;
    return this.#waiting.get(name)?.shift() ?? `call_of_${name}`;
  }
}
