import { createScanner, type Node } from 'jsonc-parser';

/** The scanner's number of a comma, which jsonc-parser declares in an enumeration that has types only. */
const commaToken = 5;

/** What a node stands for, without its places and comments. */
export function plainValue({ type, value, children = [] }: Node): unknown {
  if (type === 'array') return children.map(plainValue);
  if (type !== 'object') return value;
  return Object.fromEntries(
    children.flatMap(({ children: [key, member] = [] }) =>
      key && member ? [[key.value, plainValue(member)]] : [],
    ),
  );
}

/**
 * Takes an entry out of a list, or a field out of an object, with its comma and, where nothing else stands there,
 * its lines. Comments stay.
 *
 * @param parent of that text
 */
export function withoutChild(text: string, parent: Node, at: number): string {
  const { children = [] } = parent;
  const [previous, child] = [children[at - 1], children[at]];
  if (!child) return text;
  const end = child.offset + child.length;
  const after = commaFrom(text, end);
  // The last one is followed by no comma: the one before it goes.
  const before =
    after === undefined && previous ? commaFrom(text, previous.offset + previous.length) : undefined;
  const [from, to] = wholeLines(text, child.offset, after === undefined ? end : after + 1);
  const rest = text.slice(0, from) + text.slice(to);
  return before === undefined ? rest : rest.slice(0, before) + rest.slice(before + 1);
}

/** Where the comma is that follows a place, behind spaces and comments only. */
export function commaFrom(text: string, from: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(from);
  const token: number = scanner.scan();
  return token === commaToken ? scanner.getTokenOffset() : undefined;
}

/** Widens a range to the whole of its lines where nothing but spaces is beside it. */
function wholeLines(text: string, from: number, to: number): readonly [number, number] {
  const [before = ''] = /(?<![ \t])[ \t]*$/.exec(text.slice(0, from)) ?? [];
  const start = from - before.length;
  const [after] = /^[ \t]*(?:\r\n|\r|\n)/.exec(text.slice(to)) ?? [];
  const beginsLine = start === 0 || /[\r\n]/.test(text[start - 1] ?? '');
  return after !== undefined && beginsLine ? [start, to + after.length] : [from, to];
}
