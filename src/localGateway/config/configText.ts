import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';

/** A place in a text; both are counted from 1, the column in UTF-16 units, as editors do. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

export interface TextProblem {
  readonly place: TextPlace;
  readonly path: readonly PropertyKey[];
  readonly problem: string;
}

/** A configuration as it was written. */
export interface ConfigText {
  readonly value: unknown;
  /** What is wrong with it as JSON. The value is then what could be read. */
  readonly problems: readonly TextProblem[];
  /** The place of a member: of its key when `atKey`, else of its value. Of what is missing, its parent's. */
  placeOf(path: readonly PropertyKey[], atKey?: boolean): TextPlace;
}

/** Reads JSON with comments, in which a comma may follow the last element. Never throws. */
export function readConfigText(text: string): ConfigText {
  if (text.trim() === '') return unreadable('the file is empty');
  try {
    return parsed(text.replace(/^\uFEFF/, ' '));
  } catch (error) {
    // The parser calls itself for each level.
    if (error instanceof RangeError) return unreadable('this is nested too deeply');
    throw error;
  }
}

function unreadable(problem: string): ConfigText {
  const start: TextPlace = { line: 1, column: 1 };
  return { value: undefined, problems: [{ place: start, path: [], problem }], placeOf: () => start };
}

function parsed(text: string): ConfigText {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const places = lineStarts(text);
  const at = (offset: number) => placeAt(places, offset);
  const [first] = errors.slice(0, 1).map(({ error, offset }) => ({
    place: at(offset),
    path: [],
    problem: syntaxWords[printParseErrorCode(error)] ?? 'this is not JSON',
  }));
  return {
    value: tree && plainValue(tree),
    problems: first ? [first] : tree ? duplicates(tree, [], at) : [],
    placeOf: (path, atKey = false) => at(tree ? offsetOf(tree, path, atKey) : 0),
  };
}

/** By the parser's names of errors. None quotes the text, which may hold a key. */
const syntaxWords: Readonly<Record<string, string>> = {
  PropertyNameExpected: 'a name in double quotes is expected here',
  ValueExpected: 'a value is expected here',
  ColonExpected: 'a colon is expected here',
  CommaExpected: 'a comma is expected here',
  CloseBraceExpected: 'a closing brace } is expected here',
  CloseBracketExpected: 'a closing bracket ] is expected here',
  EndOfFileExpected: 'the file should end before this',
  UnexpectedEndOfString: 'this text lacks its closing quote',
  UnexpectedEndOfComment: 'this comment does not end',
  InvalidUnicode: 'this text has an invalid \\u escape',
  InvalidEscapeCharacter: 'this text has an invalid escape',
  InvalidCharacter: 'this text has a character that must be escaped',
};

/** Members become own properties whatever their names, so that none escapes the schema. */
function plainValue({ type, children = [], value }: Node): unknown {
  if (type === 'array') return children.map(plainValue);
  if (type !== 'object') return value;
  return Object.fromEntries(
    children.flatMap(({ children: [key, member] = [] }) =>
      key && member ? [[key.value, plainValue(member)]] : [],
    ),
  );
}

function duplicates(
  { type, children = [] }: Node,
  path: readonly PropertyKey[],
  at: (offset: number) => TextPlace,
): readonly TextProblem[] {
  if (type === 'array') return children.flatMap((child, i) => duplicates(child, [...path, i], at));
  const seen = new Set<string>();
  return children.flatMap(({ children: [key, member] = [] }) => {
    if (!key || !member) return [];
    const name = String(key.value);
    const own = [...path, name];
    const isTwice = seen.has(name);
    seen.add(name);
    const problem = 'this name stands twice in the same object';
    return [
      ...(isTwice ? [{ place: at(key.offset), path: own, problem }] : []),
      ...duplicates(member, own, at),
    ];
  });
}

function offsetOf(tree: Node, path: readonly PropertyKey[], atKey: boolean): number {
  let node = tree;
  let { offset } = tree;
  for (const step of path) {
    const found = memberOf(node, step);
    if (!found) return offset;
    node = found.value;
    offset = atKey ? found.offset : node.offset;
  }
  return offset;
}

/** The last of several members with one name, which is the one that counts. */
function memberOf({ type, children = [] }: Node, step: PropertyKey) {
  if (type === 'array') {
    const value = children[Number(step)];
    return value && { value, offset: value.offset };
  }
  const property = children.findLast(({ children: [key] = [] }) => key?.value === step);
  const value = property?.children?.[1];
  return property && value && { value, offset: property.offset };
}

function lineStarts(text: string): readonly number[] {
  return [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map(({ 0: end, index }) => index + end.length)];
}

function placeAt(starts: readonly number[], offset: number): TextPlace {
  let [line, after] = [1, starts.length];
  while (line < after) {
    const middle = (line + after) >> 1;
    if ((starts[middle] ?? 0) > offset) after = middle;
    else line = middle + 1;
  }
  return { line, column: offset - (starts[line - 1] ?? 0) + 1 };
}
