import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import { firstValue } from './firstValue.ts';
import { membersOf, memberWords } from './memberNames.ts';

const progressKeys = ['progress', 'percent', 'percentage', 'progressPercent'];

/** The progress of a task in percent; undefined when the record holds no valid one. */
export function readProgress(objects: readonly JsonObject[]): number | undefined {
  const metadata = objects.map((object) => object.metadata).filter(isObject);
  return firstValue([...objects, ...metadata], progressKeys, percent) ?? otherProgress(objects);
}

/** Progress in a member with another name, such as `percent_rendered` or `generation_progress: "40/100"`. */
function otherProgress(objects: readonly JsonObject[]): number | undefined {
  for (const [key, value] of objects.flatMap(membersOf)) {
    if (!memberWords(key).some((word) => /^(progress|percent|percentage)$/.test(word))) continue;
    const [, done, whole] = /^(\d{1,9}) ?\/ ?(\d{1,9})$/.exec(nonEmptyString(value)?.trim() ?? '') ?? [];
    const told = whole === undefined ? percent(value) : clamped((Number(done) / Number(whole)) * 100);
    if (told !== undefined) return told;
  }
  return undefined;
}

function percent(value: unknown): number | undefined {
  if (typeof value === 'number') return clamped(value > 0 && value < 1 ? value * 100 : value);
  const [, digits, sign] = /^(\d{1,9}(?:\.\d{1,9})?)\s*(%?)$/.exec(nonEmptyString(value)?.trim() ?? '') ?? [];
  if (digits === undefined) return undefined;
  return sign ? clamped(Number(digits)) : percent(Number(digits));
}

function clamped(value: number): number | undefined {
  return value >= 0 && value < Number.POSITIVE_INFINITY ? Math.min(value, 100) : undefined;
}
