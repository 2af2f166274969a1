import { applyEdits, findNodeAtLocation, modify, type Node, type ParseError, parseTree } from 'jsonc-parser';
import { isObject, type JsonObject } from '../../../base/json.ts';
import { emptyConfig } from '../../connection/emptyConfig.ts';
import { withoutModelsOf } from './aliasEdit.ts';
import { commaFrom, plainValue, withoutChild } from './editedJson.ts';

/** The entry of an upstream in the configuration. It never contains the key. */
export type UpstreamEntry = JsonObject & {
  readonly name: string;
  readonly kind: string;
  readonly baseUrl: string;
};

/** The current configuration cannot be edited: it is not JSON, or its upstreams are not a list. */
export class UneditableConfigError extends Error {
  override readonly name = 'UneditableConfigError';
}

/**
 * The upstreams of a configuration in their order. Incomplete entries are skipped.
 *
 * @throws {UneditableConfigError}
 */
export function upstreamsOf(text: string): readonly UpstreamEntry[] {
  return (listOf(text)?.children ?? []).map(plainValue).filter(isEntry);
}

/**
 * Adds an upstream at the end. The rest of the text does not change, including its comments, order and spaces.
 *
 * @throws {UneditableConfigError}
 */
export function withUpstream(text: string, upstream: UpstreamEntry): string {
  const before = text.trim() === '' ? emptyConfig : text;
  const list = listOf(before);
  const format = formattingOf(before);
  if (!list) {
    const edits = modify(before, ['upstreams'], [upstream], { formattingOptions: format });
    return applyEdits(before, edits);
  }
  const indent = indentBefore(before, list.offset);
  const unit = format.insertSpaces ? ' '.repeat(format.tabSize) : '\t';
  const entry = JSON.stringify(upstream, undefined, unit).replaceAll('\n', `${format.eol}${indent}${unit}`);
  const last = list.children?.at(-1);
  const lastEnd = last ? last.offset + last.length : list.offset + 1;
  const close = list.offset + list.length - 1;
  // After any text that follows the last upstream, which may be a comment on it.
  const insertAt = before.slice(0, close).trimEnd().length;
  const comma = last && commaFrom(before, lastEnd) === undefined ? ',' : '';
  const isOnOneLine = !/[\r\n]/.test(before.slice(insertAt, close));
  const rest = isOnOneLine ? `${format.eol}${indent}${before.slice(close)}` : before.slice(insertAt);
  const beginning = before.slice(0, lastEnd) + comma + before.slice(lastEnd, insertAt);
  return `${beginning}${format.eol}${indent}${unit}${entry}${rest}`;
}

/**
 * Removes an upstream with its comma and, if they have no other text, its lines. Also removes its models from the
 * aliases. Comments remain.
 *
 * @returns undefined if no upstream has that name
 * @throws {UneditableConfigError}
 */
export function withoutUpstream(text: string, name: string): string | undefined {
  const list = listOf(text);
  const entries = (list?.children ?? []).map(plainValue);
  const index = entries.findIndex((entry) => isObject(entry) && entry.name === name);
  if (!list || index < 0) return undefined;
  return withoutModelsOf(withoutChild(text, list, index), name);
}

/** The list of upstreams; undefined if there is none yet. */
function listOf(text: string): Node | undefined {
  if (text.trim() === '') return undefined;
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  if (errors.length > 0 || tree?.type !== 'object') throw new UneditableConfigError('not a JSON object');
  const list = findNodeAtLocation(tree, ['upstreams']);
  if (list !== undefined && list.type !== 'array')
    throw new UneditableConfigError('"upstreams" is not a list');
  return list;
}

function isEntry(value: unknown): value is UpstreamEntry {
  if (!isObject(value)) return false;
  return [value.name, value.kind, value.baseUrl].every((each) => typeof each === 'string');
}

/** The spaces at the start of the line that contains an offset. */
function indentBefore(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const line = before.slice(Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** The formatting of the existing file. */
function formattingOf(text: string) {
  const [, indent = '  '] = /^([ \t]+)\S/m.exec(text) ?? [];
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: /\r\n/.test(text) ? '\r\n' : '\n',
  };
}
