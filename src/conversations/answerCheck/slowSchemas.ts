import { createHash } from 'node:crypto';
import { jsonText } from '../../base/json.ts';

/** After so many checks that took too long, others get little time. */
const maxFailures = 2;

/** Of so many schemas it is known; then it is found out again. */
const maxKnown = 100;

/** What is known of the time that one schema takes. */
class SchemaTime {
  /** A check of it took longer than those of others should wait. */
  isSlow = false;
  failures = 0;

  get isHopeless(): boolean {
    return this.failures >= maxFailures;
  }
}

/** Remembers, as long as the window is open, which schemas take long. */
export class SlowSchemas {
  readonly #times = new Map<string, SchemaTime>();
  readonly #keys = new WeakMap<object, string>();

  of(schema: object): SchemaTime {
    const key = this.#keys.get(schema) ?? keyOf(schema);
    this.#keys.set(schema, key);
    const time = this.#times.get(key) ?? new SchemaTime();
    if (this.#times.size >= maxKnown) this.#times.clear();
    this.#times.set(key, time);
    return time;
  }
}

function keyOf(schema: object): string {
  return createHash('sha256')
    .update(jsonText(schema) ?? '')
    .digest('base64');
}
