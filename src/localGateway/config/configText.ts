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
  /** Syntax errors and repeated names. If there are any, the value contains only the members that could be read. */
  readonly problems: readonly TextProblem[];
  /**
   * Finds the position of a member: of its key if `atKey`, otherwise of its value. If the member is missing,
   * returns the position of its parent.
   */
  findPosition(path: readonly PropertyKey[], atKey?: boolean): TextPosition;
}

/** Reads JSON with comments and trailing commas. Never throws. */
export function readConfigText(text: string): ConfigText {
  if (text.trim() === '') return createFailedText('the file is empty');
  try {
    return parseText(text.replace(/^\uFEFF/, ' '));
  } catch (error) {
    // The parser is recursive.
    if (error instanceof RangeError) return createFailedText('this is nested too deeply');
    throw error;
  }
}

function createFailedText(problem: string): ConfigText {
  const start: TextPosition = { line: 1, column: 1 };
  return { value: undefined, problems: [{ position: start, path: [], problem }], findPosition: () => start };
}

function parseText(text: string): ConfigText {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const starts = findLineStarts(text);
  const toPosition = (offset: number) => convertOffset(starts, offset);
  const [first] = errors.slice(0, 1).map(({ error, offset }) => ({
    position: toPosition(offset),
    path: [],
    problem: syntaxMessages[printParseErrorCode(error)] ?? 'this is not JSON',
  }));
  return {
    value: tree && toPlainValue(tree),
    problems: first ? [first] : tree ? findDuplicates(tree, [], toPosition) : [],
    findPosition: (path, atKey = false) => toPosition(tree ? findOffset(tree, path, atKey) : 0),
  };
}

/** Messages by the error names of `jsonc-parser`. They do not quote the text, which may contain a key. */
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

/** Makes even a member `__proto__` an own property, so that the schema checks all members. */
function toPlainValue({ type, children = [], value }: Node): unknown {
  if (type === 'array') return children.map(toPlainValue);
  if (type !== 'object') return value;
  return Object.fromEntries(
    children.flatMap(({ children: [key, member] = [] }) =>
      key && member ? [[key.value, toPlainValue(member)]] : [],
    ),
  );
}

function findDuplicates(
  { type, children = [] }: Node,
  path: readonly PropertyKey[],
  toPosition: (offset: number) => TextPosition,
): readonly TextProblem[] {
  if (type === 'array')
    return children.flatMap((child, i) => findDuplicates(child, [...path, i], toPosition));
  const seen = new Set<string>();
  return children.flatMap(({ children: [key, member] = [] }) => {
    if (!key || !member) return [];
    const name = String(key.value);
    const memberPath = [...path, name];
    const isRepeated = seen.has(name);
    seen.add(name);
    const problem = 'this name occurs twice in the same object';
    return [
      ...(isRepeated ? [{ position: toPosition(key.offset), path: memberPath, problem }] : []),
      ...findDuplicates(member, memberPath, toPosition),
    ];
  });
}

function findOffset(tree: Node, path: readonly PropertyKey[], atKey: boolean): number {
  let node = tree;
  let { offset } = tree;
  for (const step of path) {
    const member = findMember(node, step);
    if (!member) return offset;
    node = member.value;
    offset = atKey ? member.offset : node.offset;
  }
  return offset;
}

/** Finds the last of several members with the same name, because only its value is used. */
function findMember({ type, children = [] }: Node, step: PropertyKey) {
  if (type === 'array') {
    const value = children[Number(step)];
    return value && { value, offset: value.offset };
  }
  const property = children.findLast(({ children: [key] = [] }) => key?.value === step);
  const value = property?.children?.[1];
  return property && value && { value, offset: property.offset };
}

function findLineStarts(text: string): readonly number[] {
  return [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map(({ 0: end, index }) => index + end.length)];
}

function convertOffset(starts: readonly number[], offset: number): TextPosition {
  let [line, after] = [1, starts.length];
  while (line < after) {
    const middle = (line + after) >> 1;
    if ((starts[middle] ?? 0) > offset) after = middle;
    else line = middle + 1;
  }
  return { line, column: offset - (starts[line - 1] ?? 0) + 1 };
}
