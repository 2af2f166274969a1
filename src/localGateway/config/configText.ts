import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';

/** A position in a text. Line and column start at 1; the column is in UTF-16 units, as in editors. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

export interface TextProblem {
  readonly position: TextPosition;
  readonly path: readonly PropertyKey[];
  readonly problem: string;
}

/** The text of a configuration and its parsed value. */
export interface ConfigText {
  readonly value: unknown;
  /** The syntax errors. The value then contains the members that could be read. */
  readonly problems: readonly TextProblem[];
  /**
   * The position of a member: of its key if `atKey`, else of its value. For a missing member, its parent's
   * position.
   */
  positionOf(path: readonly PropertyKey[], atKey?: boolean): TextPosition;
}

/** Reads JSON with comments and trailing commas. Never throws. */
export function readConfigText(text: string): ConfigText {
  if (text.trim() === '') return unreadable('the file is empty');
  try {
    return parseText(text.replace(/^\uFEFF/, ' '));
  } catch (error) {
    // The parser is recursive.
    if (error instanceof RangeError) return unreadable('this is nested too deeply');
    throw error;
  }
}

function unreadable(problem: string): ConfigText {
  const start: TextPosition = { line: 1, column: 1 };
  return { value: undefined, problems: [{ position: start, path: [], problem }], positionOf: () => start };
}

function parseText(text: string): ConfigText {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const starts = lineStarts(text);
  const positionOfOffset = (offset: number) => positionAt(starts, offset);
  const [first] = errors.slice(0, 1).map(({ error, offset }) => ({
    position: positionOfOffset(offset),
    path: [],
    problem: syntaxMessages[printParseErrorCode(error)] ?? 'this is not JSON',
  }));
  return {
    value: tree && plainValue(tree),
    problems: first ? [first] : tree ? duplicates(tree, [], positionOfOffset) : [],
    positionOf: (path, atKey = false) => positionOfOffset(tree ? offsetOf(tree, path, atKey) : 0),
  };
}

/** The messages by the parser's names of errors. They do not quote the text, which may contain a key. */
const syntaxMessages: Readonly<Record<string, string>> = {
  PropertyNameExpected: 'a name in double quotes is expected here',
  ValueExpected: 'a value is expected here',
  ColonExpected: 'a colon is expected here',
  CommaExpected: 'a comma is expected here',
  CloseBraceExpected: 'a closing brace } is expected here',
  CloseBracketExpected: 'a closing bracket ] is expected here',
  EndOfFileExpected: 'the file must end before this',
  UnexpectedEndOfString: 'this text lacks its closing quote',
  UnexpectedEndOfComment: 'this comment does not end',
  InvalidUnicode: 'this text has an invalid \\u escape',
  InvalidEscapeCharacter: 'this text has an invalid escape',
  InvalidCharacter: 'this text has a character that must be escaped',
};

/** Members become own properties even if they are named `__proto__`, so that the schema checks all of them. */
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
  positionOfOffset: (offset: number) => TextPosition,
): readonly TextProblem[] {
  if (type === 'array')
    return children.flatMap((child, i) => duplicates(child, [...path, i], positionOfOffset));
  const seen = new Set<string>();
  return children.flatMap(({ children: [key, member] = [] }) => {
    if (!key || !member) return [];
    const name = String(key.value);
    const own = [...path, name];
    const isRepeated = seen.has(name);
    seen.add(name);
    const problem = 'this name occurs twice in the same object';
    return [
      ...(isRepeated ? [{ position: positionOfOffset(key.offset), path: own, problem }] : []),
      ...duplicates(member, own, positionOfOffset),
    ];
  });
}

function offsetOf(tree: Node, path: readonly PropertyKey[], atKey: boolean): number {
  let node = tree;
  let { offset } = tree;
  for (const step of path) {
    const member = memberOf(node, step);
    if (!member) return offset;
    node = member.value;
    offset = atKey ? member.offset : node.offset;
  }
  return offset;
}

/** The last of several members with one name. Only this one counts. */
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

function positionAt(starts: readonly number[], offset: number): TextPosition {
  let [line, after] = [1, starts.length];
  while (line < after) {
    const middle = (line + after) >> 1;
    if ((starts[middle] ?? 0) > offset) after = middle;
    else line = middle + 1;
  }
  return { line, column: offset - (starts[line - 1] ?? 0) + 1 };
}
