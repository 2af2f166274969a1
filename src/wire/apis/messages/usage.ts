import { isObject, type JsonObject } from '../../../base/json.ts';
import type { Usage } from '../../chatEvent.ts';

const counted = [
  'input_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'output_tokens',
  'thinking_tokens',
  'ephemeral_1h_input_tokens',
  'web_search_requests',
] as const;

type Counted = (typeof counted)[number];

/**
 * The token counts of one message. They come cumulatively with its start and its end, and one of the two may
 * be 0. Cached input, which the format counts separately, is input as well.
 */
export class MessagesUsage {
  readonly #counts = new Map<Counted, number>();

  /**
   * Adds one usage object.
   *
   * @returns false when it holds no count
   */
  add(usage: JsonObject): boolean {
    const places = [
      usage,
      ...[usage.output_tokens_details, usage.cache_creation, usage.server_tool_use].filter(isObject),
    ];
    let told = false;
    for (const name of counted) {
      const count = places.map((place) => place[name]).find(isCount);
      if (count === undefined) continue;
      this.#counts.set(name, Math.max(count, this.#counts.get(name) ?? 0));
      told = true;
    }
    return told;
  }

  get usage(): Usage {
    const inputTokens = this.#sum('input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens');
    const outputTokens = this.#counts.get('output_tokens');
    const reasoningTokens = this.#counts.get('thinking_tokens');
    const cachedTokens = this.#counts.get('cache_read_input_tokens');
    const cacheWriteTokens = this.#counts.get('cache_creation_input_tokens');
    const cacheHourTokens = this.#counts.get('ephemeral_1h_input_tokens');
    const searches = this.#counts.get('web_search_requests');
    return {
      ...(inputTokens !== undefined && { inputTokens }),
      ...(outputTokens !== undefined && { outputTokens }),
      ...(inputTokens !== undefined &&
        outputTokens !== undefined && { totalTokens: inputTokens + outputTokens }),
      ...(reasoningTokens !== undefined && { reasoningTokens }),
      ...(cachedTokens !== undefined && { cachedTokens }),
      ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
      ...(cacheHourTokens && { cacheHourTokens }),
      ...(searches && { otherUnits: searches }),
    };
  }

  #sum(...names: readonly Counted[]): number | undefined {
    const counts = names.map((name) => this.#counts.get(name)).filter((count) => count !== undefined);
    return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count);
  }
}

function isCount(count: unknown): count is number {
  return typeof count === 'number' && Number.isFinite(count) && count >= 0;
}
