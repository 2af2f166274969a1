import { isObject } from '../../../base/json.ts';

/**
 * How much of a reply is charged beside text, for `Usage.otherUnits`.
 *
 * @param counts as they came; what is no count tells nothing
 * @returns undefined for nothing
 */
export function otherUnits(...counts: readonly unknown[]): number | undefined {
  return counts.filter(isCount).reduce((sum, count) => sum + count, 0) || undefined;
}

const apart: ReadonlySet<unknown> = new Set(['AUDIO', 'IMAGE', 'VIDEO']);

/**
 * The tokens that Gemini counts by what they stand for.
 *
 * @param details `[{modality, tokenCount}]`, in interactions `[{modality, tokens}]`
 * @param only the kinds that have prices of their own: of what is asked, only sound
 */
export function tokensApart(details: unknown, only: ReadonlySet<unknown> = apart): number | undefined {
  const list: readonly unknown[] = Array.isArray(details) ? details : [];
  const counts = list.map((each) => {
    if (!isObject(each) || !only.has(String(each.modality).toUpperCase())) return undefined;
    return each.tokenCount ?? each.token_count ?? each.tokens;
  });
  return otherUnits(...counts);
}

/** Pictures and films cost what text does where they are asked about. */
export const sound: ReadonlySet<unknown> = new Set(['AUDIO']);

function isCount(count: unknown): count is number {
  return typeof count === 'number' && Number.isFinite(count) && count > 0;
}
