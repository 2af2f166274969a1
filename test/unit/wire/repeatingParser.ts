import { parseJson } from '../../../src/base/json.ts';
import { type ChangingValue, RepeatedEvents } from '../../../src/wire/stream/repeatedEvents.ts';

/** Parses the payloads of one stream as `ReplyDecoder` does: repeated events directly, others as JSON. */
export class RepeatingParser {
  readonly #repeated: RepeatedEvents;
  readonly #parse: (json: string) => unknown;

  constructor(
    changing: (payload: unknown) => readonly ChangingValue[],
    parse: (json: string) => unknown = parseJson,
  ) {
    this.#repeated = new RepeatedEvents(changing);
    this.#parse = parse;
  }

  parse(json: string): unknown {
    const event = `data: ${json}\n\n`;
    let payload: unknown;
    const end = this.#repeated.read(event, 0, (value) => {
      payload = value;
    });
    if (end === event.length) return payload;
    const parsed = this.#parse(json);
    if (parsed !== undefined) this.#repeated.learn(event, parsed);
    return parsed;
  }
}
