import { CheckLane } from './checkLane.ts';
import type { AnswerCheck, CheckRequests, JsonPath, SchemaProblem } from './checkResult.ts';
import { SlowSchemas } from './slowSchemas.ts';

/** How long one check may take, in milliseconds. */
export interface CheckLimits {
  /** Enough for nearly every answer. What takes longer begins again beside the others. */
  readonly quickMs: number;
  /** An answer of 1 MB takes about a tenth of it. */
  readonly slowMs: number;
}

const usualLimits: CheckLimits = { quickMs: 400, slowMs: 3000 };

/**
 * Holds answers against their schemas. A schema may keep a thread busy for ever: its answers then wait for one another
 * in a thread of their own, and hold up no others.
 */
export class AnswerChecker {
  readonly #limits: CheckLimits;
  readonly #quick: CheckLane;
  readonly #slow: CheckLane;
  readonly #slowSchemas = new SlowSchemas();

  /** @param program the path of the bundle of `main.ts` */
  constructor(program: string, limits = usualLimits) {
    this.#limits = limits;
    this.#quick = new CheckLane(program);
    this.#slow = new CheckLane(program);
  }

  async check(text: string, schema: object): Promise<AnswerCheck> {
    const { quickMs, slowMs } = this.#limits;
    const known = this.#slowSchemas.of(schema);
    const asked = { text, schema };
    const quick = await this.#quick.ask('check', asked, () => (known.isSlow ? undefined : quickMs));
    if (quick) return quick.answer;
    known.isSlow = true;
    const slow = await this.#slow.ask('check', asked, () => (known.isHopeless ? quickMs : slowMs));
    if (!slow) known.failures += 1;
    return slow?.answer ?? { kind: 'too-much' };
  }

  /** What is wrong with the text of a schema; undefined where nothing is found. */
  async schemaProblem(text: string): Promise<SchemaProblem | undefined> {
    const read = await this.#ask('readSchema', text);
    return read ? read.answer : { kind: 'too-much' };
  }

  /** Undefined where it is not found in time, too. */
  async locate(text: string, path: JsonPath): Promise<CheckRequests['locate']['answer']> {
    return (await this.#ask('locate', { text, path }))?.answer;
  }

  async close(): Promise<void> {
    await Promise.all([this.#quick.close(), this.#slow.close()]);
  }

  async #ask<Kind extends 'readSchema' | 'locate'>(kind: Kind, asked: CheckRequests[Kind]['asked']) {
    const { quickMs, slowMs } = this.#limits;
    return (await this.#quick.ask(kind, asked, () => quickMs)) ?? this.#slow.ask(kind, asked, () => slowMs);
  }
}
