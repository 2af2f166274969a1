import { isObject, type JsonObject } from '../../../base/json.ts';
import { valueAt } from '../../../base/nestedValues.ts';
import type { UsageRecord } from '../../conversation/conversationRecord.ts';
import { readCount } from './fieldValues.ts';

type Path = readonly string[];

/**
 * The paths of counts in files of other programs, which use the names of several APIs. The first existing path is
 * used.
 */
const paths: Readonly<Record<keyof UsageRecord, readonly Path[]>> = {
  inputTokens: [['prompt_tokens'], ['input_tokens'], ['prompt_eval_count'], ['promptTokens']],
  outputTokens: [['completion_tokens'], ['output_tokens'], ['eval_count'], ['completionTokens']],
  reasoningTokens: [
    ['completion_tokens_details', 'reasoning_tokens'],
    ['output_tokens_details', 'reasoning_tokens'],
  ],
  cachedTokens: [
    ['prompt_tokens_details', 'cached_tokens'],
    ['input_tokens_details', 'cached_tokens'],
    ['cache_read_input_tokens'],
  ],
  cacheWriteTokens: [['cache_creation_input_tokens']],
};

/** Reads each token count of a reply from the first object that contains this count. */
export function readImportedUsage(...sources: readonly unknown[]): { readonly usage?: UsageRecord } {
  const objects = sources.filter(isObject).map(addCachedInput);
  const counts = Object.entries(paths).flatMap(([name, candidatePaths]) => {
    const count = findCount(objects, candidatePaths);
    return count === undefined ? [] : [[name, count] as const];
  });
  return counts.length > 0 ? { usage: Object.fromEntries(counts) } : {};
}

/** Adds cached tokens to the input count, as in our records. Anthropic's input count does not include them. */
function addCachedInput(usage: JsonObject): JsonObject {
  const { input_tokens: input, cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage;
  const counts = [input, read, written].map((count) => readCount(count) ?? 0);
  const isCachedSeparate = readCount(input) !== undefined && !('input_tokens_details' in usage);
  return isCachedSeparate ? { ...usage, input_tokens: counts.reduce((sum, count) => sum + count) } : usage;
}

function findCount(objects: readonly JsonObject[], candidatePaths: readonly Path[]): number | undefined {
  for (const object of objects) {
    for (const path of candidatePaths) {
      const count = readCount(valueAt(object, path));
      if (count !== undefined) return count;
    }
  }
  return undefined;
}
