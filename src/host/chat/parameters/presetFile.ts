import { isDeepStrictEqual } from 'node:util';
import { errorMessage } from '../../../base/errors.ts';
import { isObject } from '../../../base/json.ts';
import { type ChatParameters, isUnset } from '../../../conversations/conversation/chatParameters.ts';
import { redact } from '../../../wire/secrets/redact.ts';
import type { AcceptParameters } from '../../kit/pages/parameterSchema.ts';
import { type CheckedParameters, checkParameters } from './store/checkParameters.ts';
import { maxPresetNameLength, maxPresets, type Preset } from './store/parameterStore.ts';

/** The `type` of the JSON object in a preset file. People and other programs can also write such files. */
const fileType = 'model-gateway-presets';

/** The `version` of the JSON object. */
const fileVersion = 1;

/** The maximum length of a file, in UTF-16 units. */
export const maxFileLength = 16 * 1024 * 1024;

/** Writes the text of a file with presets. The same presets always result in the same text. */
export function formatPresetFile(presets: readonly Preset[]): string {
  const sortedPresets = presets
    .map(({ name, parameters: { systemPrompt, common, others } }) => ({
      name,
      parameters: { systemPrompt, common: sortMembers(common), others: sortMembers(sortFields(others)) },
    }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return `${JSON.stringify({ type: fileType, version: fileVersion, presets: sortedPresets }, null, 2)}\n`;
}

/**
 * Sorts the fields of each format by name. The members of their values are not sorted, because the order may matter in
 * a schema.
 */
function sortFields(others: ChatParameters['others']): object {
  const entries = Object.entries(others).map(([format, fields]) => [format, sortMembers(fields)] as const);
  return Object.fromEntries(entries);
}

function sortMembers(members: object): object {
  return Object.fromEntries(Object.entries(members).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** The reason why a file does not contain readable presets. */
export type PresetFileProblem =
  | { readonly kind: 'too-long' }
  | { readonly kind: 'not-json'; readonly detail: string }
  | { readonly kind: 'other-file' }
  | { readonly kind: 'newer'; readonly version: number };

/** A preset of a file, compared with the existing presets. */
export type PresetEntry =
  | ({ readonly kind: 'new' | 'replaces' } & Preset & CheckedParameters)
  | { readonly kind: 'same'; readonly name: string }
  | { readonly kind: 'skipped'; readonly name: string; readonly reason: PresetSkipReason };

/** `duplicate`: the file has an earlier preset of the same name. `limit`: the maximum number of presets is reached. */
export type PresetSkipReason =
  | 'no-name'
  | 'long-name'
  | 'unreadable'
  | 'no-valid-parameters'
  | 'duplicate'
  | 'limit';

export type ReadPresets =
  | { readonly entries: readonly PresetEntry[]; readonly problem?: never }
  | { readonly problem: PresetFileProblem; readonly entries?: never };

/** Reads the presets of a file, and compares them with the existing presets. */
export function readPresetFile(
  text: string,
  existing: readonly Preset[],
  accept: AcceptParameters,
): ReadPresets {
  if (text.length > maxFileLength) return { problem: { kind: 'too-long' } };
  const parsed = parseFile(text);
  if ('problem' in parsed) return parsed;
  const { value } = parsed;
  if (!isObject(value) || value.type !== fileType || !Array.isArray(value.presets))
    return { problem: { kind: 'other-file' } };
  if (typeof value.version !== 'number') return { problem: { kind: 'other-file' } };
  if (value.version > fileVersion) return { problem: { kind: 'newer', version: value.version } };
  return { entries: readEntries(value.presets, existing, accept) };
}

function parseFile(text: string): { readonly value: unknown } | { readonly problem: PresetFileProblem } {
  try {
    return { value: JSON.parse(text.replace(/^\uFEFF/, '')) as unknown };
  } catch (error) {
    return { problem: { kind: 'not-json', detail: errorMessage(error) } };
  }
}

function readEntries(
  presets: readonly unknown[],
  existing: readonly Preset[],
  accept: AcceptParameters,
): readonly PresetEntry[] {
  const existingByName = new Map(existing.map(({ name, parameters }) => [name, parameters]));
  const earlierNames = new Set<string>();
  let remaining = Math.max(0, maxPresets - existingByName.size);
  return presets.map((preset) => {
    const { name: untrimmed, parameters } = isObject(preset) ? preset : {};
    const name = typeof untrimmed === 'string' ? untrimmed.trim() : '';
    const skip = (reason: PresetSkipReason): PresetEntry => ({ kind: 'skipped', name, reason });
    if (name === '') return skip('no-name');
    if (name.length > maxPresetNameLength) return skip('long-name');
    if (earlierNames.has(name)) return skip('duplicate');
    earlierNames.add(name);
    const checked = checkParameters(parameters, accept);
    if (checked.invalid.some(({ kind }) => kind === 'everything')) return skip('unreadable');
    if (isUnset(checked.parameters)) return skip('no-valid-parameters');
    const existingParameters = existingByName.get(name);
    if (existingParameters === undefined) {
      if (remaining === 0) return skip('limit');
      remaining -= 1;
      return { kind: 'new', name, ...checked };
    }
    if (isDeepStrictEqual(existingParameters, checked.parameters)) return { kind: 'same', name };
    return { kind: 'replaces', name, ...checked };
  });
}

/** The maximum depth of checked values. Deeper values are reported as possible credentials. */
const maxDepth = 32;

/** Finds the paths of possible credentials in a value. */
export function findLikelySecrets(value: unknown): readonly string[] {
  return findSecretPaths(value, [], maxDepth);
}

function findSecretPaths(value: unknown, path: readonly string[], depth: number): readonly string[] {
  if (typeof value === 'string') return looksSecret(path, value) ? [path.join('.')] : [];
  if (depth === 0) return isObject(value) || Array.isArray(value) ? [path.join('.')] : [];
  if (Array.isArray(value))
    return value.flatMap((each, index) => findSecretPaths(each, [...path, String(index)], depth - 1));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => findSecretPaths(each, [...path, name], depth - 1));
}

function looksSecret(path: readonly string[], text: string): boolean {
  const name = path.at(-1) ?? '';
  // Headers with any name may contain credentials.
  if (/headers$/i.test(path.at(-2) ?? '') && text !== '') return true;
  const textWithName = `${name}: ${text}`;
  return redact(text, []) !== text || (!/\s/.test(text) && redact(textWithName, []) !== textWithName);
}
