import { createScanner, type Node } from 'jsonc-parser';

/** The scanner's number of a comma. jsonc-parser declares it in an enumeration that does not exist at run time. */
const commaToken = 5;

/** The value of a node, without its positions and comments. */
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
 * Removes an entry from a list, or a field from an object, with its comma and, if they have no other text, its
 * lines. Comments remain.
 *
 * @param parent a node of this text
 */
export function withoutChild(text: string, parent: Node, index: number): string {
  const { children = [] } = parent;
  const [previous, child] = [children[index - 1], children[index]];
  if (!child) return text;
  const end = child.offset + child.length;
  const after = commaFrom(text, end);
  // The last entry has no comma after it, so the comma before it is removed.
  const before =
    after === undefined && previous ? commaFrom(text, previous.offset + previous.length) : undefined;
  const [from, to] = expandToLines(text, child.offset, after === undefined ? end : after + 1);
  const rest = text.slice(0, from) + text.slice(to);
  return before === undefined ? rest : rest.slice(0, before) + rest.slice(before + 1);
}

/** The offset of the next comma, if only spaces and comments precede it. */
export function commaFrom(text: string, from: number): number | undefined {
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
