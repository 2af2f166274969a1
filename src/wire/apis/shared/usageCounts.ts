import { isObject, scalarText } from '../../../base/json.ts';

/** A count that a reply reports; undefined if it is invalid. */
export function readUsageCount(count: unknown): number | undefined {
  return typeof count === 'number' && Number.isFinite(count) && count >= 0 ? count : undefined;
}

/**
 * The amount of a reply that is charged separately from text, for `Usage.otherUnits`.
 *
 * @param counts the raw counts; invalid counts are ignored
 * @returns undefined if there are none
 */
export function sumOtherUnits(...counts: readonly unknown[]): number | undefined {
  return counts.reduce<number>((sum, count) => sum + (readUsageCount(count) ?? 0), 0) || undefined;
}

const nonTextModalities: ReadonlySet<unknown> = new Set(['AUDIO', 'IMAGE', 'VIDEO']);

/**
 * The tokens of modalities other than text, as Gemini counts them.
 *
 * @param details `[{modality, tokenCount}]`, in interactions `[{modality, tokens}]`
 * @param modalities the modalities with prices of their own; for input, only sound
 */
export function sumNonTextTokens(
  details: unknown,
  modalities: ReadonlySet<unknown> = nonTextModalities,
): number | undefined {
  const list: readonly unknown[] = Array.isArray(details) ? details : [];
  const counts = list.map((each) => {
    if (!isObject(each) || !modalities.has(scalarText(each.modality).toUpperCase())) return undefined;
    return each.tokenCount ?? each.token_count ?? each.tokens;
  });
  return sumOtherUnits(...counts);
}

/** Pictures and videos in the input cost the same as text. */
export const audioModality: ReadonlySet<unknown> = new Set(['AUDIO']);

/** Tokens that a provider wrote to its cache, by their lifetimes, in the form of Anthropic. */
export function writeCacheLifetimes(written = 0, forAnHour = 0): object {
  return {
    ephemeral_5m_input_tokens: Math.max(0, written - forAnHour),
    ephemeral_1h_input_tokens: forAnHour,
  };
}
