import { isObject, jsonText } from '../../../base/json.ts';
import { type ChatParameters, isUnset } from '../../../conversations/conversation/chatParameters.ts';
import { redact } from '../../../wire/secrets/redact.ts';
import type { AcceptParameters } from '../../kit/pages/parameterSchema.ts';
import { type CheckedParameters, checkedParameters } from './checkedParameters.ts';
import { maxNameLength, maxPresets, type Preset } from './keptParameters.ts';

// The file in which presets are taken along: one JSON object, as people and other programs can read and write it.

const fileType = 'model-gateway-presets';

const version = 1;

/** The longest file that is read, in UTF-16 units. */
export const maxFileLength = 16 * 1024 * 1024;

/** The text of a file with these presets; the same presets make the same text. */
export function presetFile(presets: readonly Preset[]): string {
  const written = presets
    .map(({ name, parameters: { systemPrompt, common, others } }) => ({
      name,
      parameters: { systemPrompt, common: sorted(common), others: sorted(mapped(others)) },
    }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return `${JSON.stringify({ type: fileType, version, presets: written }, null, 2)}\n`;
}

/** The fields of each format by name. What is inside of them keeps its order, which may mean something in a schema. */
function mapped(others: ChatParameters['others']): object {
  const entries = Object.entries(others).map(([format, fields]) => [format, sorted(fields)] as const);
  return Object.fromEntries(entries);
}

function sorted(members: object): object {
  return Object.fromEntries(Object.entries(members).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** Why a file holds no presets. */
export type PresetFileProblem =
  | { readonly kind: 'too-long' }
  | { readonly kind: 'no-json'; readonly detail: string }
  | { readonly kind: 'other-file' }
  | { readonly kind: 'newer'; readonly version: number };

/** What is to be done with a preset of a file. */
export type PresetEntry =
  | ({ readonly kind: 'new' | 'replaces' } & Preset & CheckedParameters)
  | { readonly kind: 'same'; readonly name: string }
  | { readonly kind: 'skipped'; readonly name: string; readonly why: SkippedWhy };

/** `full`: the maximum number of presets is reached. `twice`: the file has an earlier one of that name. */
export type SkippedWhy = 'no-name' | 'long-name' | 'unreadable' | 'nothing-fits' | 'twice' | 'full';

export type ReadPresets =
  | { readonly entries: readonly PresetEntry[]; readonly problem?: never }
  | { readonly problem: PresetFileProblem; readonly entries?: never };

/** Reads a file of presets, and holds it against those that are there. */
export function readPresetFile(
  text: string,
  there: readonly Preset[],
  accept: AcceptParameters,
): ReadPresets {
  if (text.length > maxFileLength) return { problem: { kind: 'too-long' } };
  const read = parsed(text);
  if ('problem' in read) return read;
  const { value } = read;
  if (!isObject(value) || value.type !== fileType || !Array.isArray(value.presets))
    return { problem: { kind: 'other-file' } };
  if (typeof value.version !== 'number') return { problem: { kind: 'other-file' } };
  if (value.version > version) return { problem: { kind: 'newer', version: value.version } };
  return { entries: entriesOf(value.presets, there, accept) };
}

function parsed(text: string): { readonly value: unknown } | { readonly problem: PresetFileProblem } {
  try {
    return { value: JSON.parse(text.replace(/^\uFEFF/, '')) as unknown };
  } catch (error) {
    return { problem: { kind: 'no-json', detail: error instanceof Error ? error.message : '' } };
  }
}

function entriesOf(
  presets: readonly unknown[],
  there: readonly Preset[],
  accept: AcceptParameters,
): readonly PresetEntry[] {
  const known = new Map(there.map(({ name, parameters }) => [name, parameters]));
  const seen = new Set<string>();
  let left = maxPresets - known.size;
  return presets.map((preset) => {
    const { name: given, parameters } = isObject(preset) ? preset : {};
    const name = typeof given === 'string' ? given.trim() : '';
    const skipped = (why: SkippedWhy): PresetEntry => ({ kind: 'skipped', name, why });
    if (name === '') return skipped('no-name');
    if (name.length > maxNameLength) return skipped('long-name');
    if (seen.has(name)) return skipped('twice');
    seen.add(name);
    const checked = checkedParameters(parameters, accept);
    if (checked.unfit.some(({ kind }) => kind === 'everything')) return skipped('unreadable');
    if (isUnset(checked.parameters)) return skipped('nothing-fits');
    const before = known.get(name);
    if (before === undefined && left <= 0) return skipped('full');
    if (before === undefined) left -= 1;
    else if (isSame(before, checked.parameters)) return { kind: 'same', name };
    return { kind: before === undefined ? 'new' : 'replaces', name, ...checked };
  });
}

/** Whether two sets of parameters are the same, in whatever order their members stand. */
function isSame(one: ChatParameters, other: ChatParameters): boolean {
  return jsonText(inOrder(one)) === jsonText(inOrder(other));
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isObject(value)) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return members.map(([name, each]) => [name, inOrder(each)]);
}

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
