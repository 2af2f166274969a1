import {
  applyEdits,
  createScanner,
  findNodeAtLocation,
  modify,
  type Node,
  type ParseError,
  parseTree,
} from 'jsonc-parser';
import { isObject, type JsonObject, scalarText } from '../../../base/json.ts';
import { emptyConfig } from '../../connection/emptyConfig.ts';

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
export function readUpstreamEntries(text: string): readonly UpstreamEntry[] {
  return (findUpstreamList(text)?.children ?? []).map(readValue).filter(isEntry);
}

/**
 * Adds an upstream at the end. The rest of the text does not change, including its comments, order and spaces.
 *
 * @throws {UneditableConfigError}
 */
export function withUpstream(text: string, upstream: UpstreamEntry): string {
  const before = text.trim() === '' ? emptyConfig : text;
  const list = findUpstreamList(before);
  const format = detectFormatting(before);
  if (!list) {
    const edits = modify(before, ['upstreams'], [upstream], { formattingOptions: format });
    return applyEdits(before, edits);
  }
  const indent = readIndent(before, list.offset);
  const unit = format.insertSpaces ? ' '.repeat(format.tabSize) : '\t';
  const entry = JSON.stringify(upstream, undefined, unit).replaceAll('\n', `${format.eol}${indent}${unit}`);
  const last = list.children?.at(-1);
  const lastEnd = last ? last.offset + last.length : list.offset + 1;
  const close = list.offset + list.length - 1;
  // After any text that follows the last upstream, which may be a comment on it.
  const insertAt = before.slice(0, close).trimEnd().length;
  const comma = last && findComma(before, lastEnd) === undefined ? ',' : '';
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
  const list = findUpstreamList(text);
  const entries = (list?.children ?? []).map(readValue);
  const index = entries.findIndex((entry) => isObject(entry) && entry.name === name);
  if (!list || index < 0) return undefined;
  return removeModels(withoutChild(text, list, index), name);
}

/** The list of upstreams; undefined if there is none yet. */
function findUpstreamList(text: string): Node | undefined {
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
function readIndent(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const line = before.slice(Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** The formatting of the existing file. */
function detectFormatting(text: string) {
  const [, indent = '  '] = /^([ \t]+)\S/m.exec(text) ?? [];
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: /\r\n/.test(text) ? '\r\n' : '\n',
  };
}

/** An alias that loses models. */
export interface AliasLoss {
  readonly name: string;
  /** The models that it loses, each as `name/id`. */
  readonly models: readonly string[];
  /** Whether the alias loses all its models and is therefore removed. */
  readonly isRemoved: boolean;
}

/** The aliases of a configuration that use models of an upstream. */
export function aliasesUsing(text: string, upstream: string): readonly AliasLoss[] {
  return readAliases(text).flatMap(({ name, models }) => {
    const lost = models.filter((model) => isModelOf(model, upstream));
    return lost.length === 0 ? [] : [{ name, models: lost, isRemoved: lost.length === models.length }];
  });
}

/** Removes the models of an upstream from the aliases, with their weights, and aliases without other models. */
function removeModels(text: string, upstream: string): string {
  let rest = text;
  // From the last alias to the first, because removing an alias changes the indexes of the aliases after it.
  for (let i = readAliases(text).length - 1; i >= 0; i -= 1) {
    const { models = [] } = readAliases(rest)[i] ?? {};
    const isRemoved = models.length > 0 && models.every((model) => isModelOf(model, upstream));
    rest = isRemoved
      ? removeChildren(rest, ['aliases'], (_, index) => index === i)
      : withoutModelsIn(rest, ['aliases', i], upstream);
  }
  return rest;
}

function withoutModelsIn(text: string, alias: Path, upstream: string): string {
  const isOfUpstream = (value: unknown) => typeof value === 'string' && isModelOf(value, upstream);
  const rest = removeChildren(text, [...alias, 'models'], (model) => isOfUpstream(readValue(model)));
  return removeChildren(rest, [...alias, 'weights'], ({ children: [key] = [] }) => isOfUpstream(key?.value));
}

type Path = readonly (string | number)[];

/** Removes the entries or fields at a path, the last one first. */
function removeChildren(
  text: string,
  path: Path,
  shouldRemove: (child: Node, index: number) => boolean,
): string {
  const { children = [] } = findNode(text, path) ?? {};
  let rest = text;
  for (const [index, child] of [...children.entries()].reverse()) {
    const parent = shouldRemove(child, index) ? findNode(rest, path) : undefined;
    if (parent) rest = withoutChild(rest, parent, index);
  }
  return rest;
}

function findNode(text: string, path: Path): Node | undefined {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  return tree && findNodeAtLocation(tree, [...path]);
}

interface WrittenAlias {
  readonly name: string;
  readonly models: readonly string[];
}

/** The aliases in their order. An incomplete alias has no models. */
function readAliases(text: string): readonly WrittenAlias[] {
  const list = findNode(text, ['aliases']);
  if (list?.type !== 'array') return [];
  return (list.children ?? []).map((node) => {
    const value = readValue(node);
    const { name, models } = isObject(value) ? value : {};
    return {
      name: scalarText(name),
      models: Array.isArray(models) ? models.filter((model) => typeof model === 'string') : [],
    };
  });
}

function isModelOf(model: string, upstream: string): boolean {
  return model.startsWith(`${upstream}/`);
}

/** The scanner's code of a comma. jsonc-parser declares it in an enumeration that does not exist at run time. */
const commaToken = 5;

/** The value of a node, without its positions and comments. */
function readValue({ type, value, children = [] }: Node): unknown {
  if (type === 'array') return children.map(readValue);
  if (type !== 'object') return value;
  return Object.fromEntries(
    children.flatMap(({ children: [key, member] = [] }) =>
      key && member ? [[key.value, readValue(member)]] : [],
    ),
  );
}

/**
 * Removes an entry from a list, or a field from an object, with its comma and, if they have no other text, its
 * lines. Comments remain.
 *
 * @param parent a node of this text
 */
function withoutChild(text: string, parent: Node, index: number): string {
  const { children = [] } = parent;
  const [previous, child] = [children[index - 1], children[index]];
  if (!child) return text;
  const end = child.offset + child.length;
  const after = findComma(text, end);
  // The last entry has no comma after it, so the comma before it is removed.
  const before =
    after === undefined && previous ? findComma(text, previous.offset + previous.length) : undefined;
  const [from, to] = expandToLines(text, child.offset, after === undefined ? end : after + 1);
  const rest = text.slice(0, from) + text.slice(to);
  return before === undefined ? rest : rest.slice(0, before) + rest.slice(before + 1);
}

/** The offset of the next comma, if only spaces and comments precede it. */
function findComma(text: string, from: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(from);
  const token: number = scanner.scan();
  return token === commaToken ? scanner.getTokenOffset() : undefined;
}

/** Widens a range to whole lines if they contain nothing else but spaces. */
function expandToLines(text: string, from: number, to: number): readonly [number, number] {
  const [before = ''] = /(?<![ \t])[ \t]*$/.exec(text.slice(0, from)) ?? [];
  const start = from - before.length;
  const [after] = /^[ \t]*(?:\r\n|\r|\n)/.exec(text.slice(to)) ?? [];
  const beginsLine = start === 0 || /[\r\n]/.test(text[start - 1] ?? '');
  return after !== undefined && beginsLine ? [start, to + after.length] : [from, to];
}
