import { isObject } from '../../../base/json.ts';
import { redact } from '../../../wire/secrets/redact.ts';

/** Deeper values are not looked at, and may hold anything. */
const maxDepth = 32;

/** Where a value holds what looks like a credential, as paths of names. */
export function likelySecrets(value: unknown): readonly string[] {
  return found(value, [], maxDepth);
}

function found(value: unknown, path: readonly string[], depth: number): readonly string[] {
  if (typeof value === 'string') return looksSecret(path, value) ? [path.join('.')] : [];
  if (depth === 0) return isObject(value) || Array.isArray(value) ? [path.join('.')] : [];
  if (Array.isArray(value)) return value.flatMap((each, at) => found(each, [...path, String(at)], depth - 1));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => found(each, [...path, name], depth - 1));
}

function looksSecret(path: readonly string[], text: string): boolean {
  const name = path.at(-1) ?? '';
  // Credentials are typed as headers of any name.
  if (/headers$/i.test(path.at(-2) ?? '') && text !== '') return true;
  const named = `${name}: ${text}`;
  return redact(text, []) !== text || (!/\s/.test(text) && redact(named, []) !== named);
}
