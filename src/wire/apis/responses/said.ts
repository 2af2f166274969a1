import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import type { SaidReasoning, SaidRecorder } from '../../stream/saidRecorder.ts';
import { isCall } from './output.ts';

/** Records the output items of one response: those of its end, else as each was done. */
export class ResponsesSaid implements SaidRecorder {
  readonly #done = new Map<unknown, JsonObject>();
  #whole: readonly JsonObject[] = [];

  read(payload: JsonObject): void {
    const { type, item, output_index: index } = payload;
    if (type === 'response.output_item.done' && isObject(item)) {
      this.#done.set(index ?? item.id ?? this.#done.size, item);
      return;
    }
    const response = isObject(payload.response) ? payload.response : payload;
    const output = Array.isArray(response.output) ? response.output.filter(isObject) : [];
    if (output.length > 0) this.#whole = output;
  }

  get reasoning(): SaidReasoning | undefined {
    const items = this.#items().filter((item) => item.type === 'reasoning' && goesBack(item));
    if (items.length === 0) return undefined;
    return items.every((item) => item.encrypted_content) ? 'signed' : 'plain';
  }

  said(ids: readonly (string | undefined)[]): readonly JsonObject[] {
    const kept = new Set(ids);
    return this.#items().filter(
      (item) => (!isCall(item) || kept.has(nonEmptyString(item.call_id))) && goesBack(item),
    );
  }

  #items(): readonly JsonObject[] {
    // The end may repeat less than was streamed.
    const done = [...this.#done].toSorted(byIndex).map(([, item]) => item);
    return this.#whole.length >= done.length ? this.#whole : done;
  }
}

function byIndex([one]: readonly [unknown, unknown], [other]: readonly [unknown, unknown]): number {
  return typeof one === 'number' && typeof other === 'number' ? one - other : 0;
}

/** Reasoning that is not stored goes back with its content, encrypted or not; without any, it is not found. */
function goesBack({ type, encrypted_content: proof, content }: JsonObject): boolean {
  return type !== 'reasoning' || Boolean(proof) || (Array.isArray(content) && content.length > 0);
}
