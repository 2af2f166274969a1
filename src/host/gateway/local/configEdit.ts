import { applyEdits, findNodeAtLocation, modify, type Node, type ParseError, parseTree } from 'jsonc-parser';
import { isObject, type JsonObject } from '../../../base/json.ts';
import { emptyConfig } from '../../connection/emptyConfig.ts';
import { withoutModelsOf } from './aliasEdit.ts';
import { commaFrom, plainValue, withoutChild } from './editedJson.ts';

/** What is written of an upstream into the configuration. Never its key. */
export type UpstreamEntry = JsonObject & {
  readonly name: string;
  readonly kind: string;
  readonly baseUrl: string;
};

/** The configuration as it stands cannot be edited: it is no JSON, or its upstreams are no list. */
export class UneditableConfigError extends Error {
  override readonly name = 'UneditableConfigError';
}

/**
 * The upstreams that a configuration names, in its order. Entries that are not whole are left out.
 *
 * @throws {UneditableConfigError}
 */
export function upstreamsOf(text: string): readonly UpstreamEntry[] {
  return (listOf(text)?.children ?? []).map(plainValue).filter(isEntry);
}

/**
 * Adds an upstream at the end. All else of the text stays as it is: comments, order, spaces.
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
  const own = indentBefore(before, list.offset);
  const unit = format.insertSpaces ? ' '.repeat(format.tabSize) : '\t';
  const entry = JSON.stringify(upstream, undefined, unit).replaceAll('\n', `${format.eol}${own}${unit}`);
  const last = list.children?.at(-1);
  const lastEnd = last ? last.offset + last.length : list.offset + 1;
  const close = list.offset + list.length - 1;
  // Behind what stands after the last one, which may be a comment on it.
  const place = before.slice(0, close).trimEnd().length;
  const comma = last && commaFrom(before, lastEnd) === undefined ? ',' : '';
  const isOnOneLine = !/[\r\n]/.test(before.slice(place, close));
  const rest = isOnOneLine ? `${format.eol}${own}${before.slice(close)}` : before.slice(place);
  const kept = before.slice(0, lastEnd) + comma + before.slice(lastEnd, place);
  return `${kept}${format.eol}${own}${unit}${entry}${rest}`;
}

/**
 * Takes an upstream out, with its comma and, where nothing else stands there, its lines; and, out of the aliases,
 * the models that are asked there. Comments stay.
 *
 * @returns undefined when there is none of that name
 * @throws {UneditableConfigError}
 */
export function withoutUpstream(text: string, name: string): string | undefined {
  const list = listOf(text);
  const at = (list?.children ?? []).findIndex(
    (element) => Reflect.get(Object(plainValue(element)), 'name') === name,
  );
  if (!list || at < 0) return undefined;
  return withoutModelsOf(withoutChild(text, list, at), name);
}

/** The list of upstreams; undefined where there is none yet. */
function listOf(text: string): Node | undefined {
  if (text.trim() === '') return undefined;
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  if (errors.length > 0 || tree?.type !== 'object') throw new UneditableConfigError('not a JSON object');
  const list = findNodeAtLocation(tree, ['upstreams']);
  if (list !== undefined && list.type !== 'array') throw new UneditableConfigError('"upstreams" is no list');
  return list;
}

function isEntry(value: unknown): value is UpstreamEntry {
  if (!isObject(value)) return false;
  return [value.name, value.kind, value.baseUrl].every((each) => typeof each === 'string');
}

/** The spaces with which the line of a place begins. */
function indentBefore(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const line = before.slice(Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** As the file is written so far. */
function formattingOf(text: string) {
  const [, indent = '  '] = /^([ \t]+)\S/m.exec(text) ?? [];
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: /\r\n/.test(text) ? '\r\n' : '\n',
  };
}
