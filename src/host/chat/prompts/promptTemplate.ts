/** Variables with values from the editor and the workspace. The values are read when a prompt is run. */
const editorVariables = [
  'selection',
  'selectedText',
  'file',
  'relativeFile',
  'fileBasename',
  'fileBasenameNoExtension',
  'fileDirname',
  'fileContent',
  'language',
  'workspaceFolder',
  'workspaceFolderBasename',
  'clipboard',
] as const;

export type EditorVariable = (typeof editorVariables)[number];

/** A variable whose value the user enters when the prompt is run. */
interface InputVariable {
  readonly name: string;
  /** The value if the user enters nothing; undefined for a required input. */
  readonly fallback: string | undefined;
}

/** A variable with an unknown name. It is not replaced in the text. */
interface UnknownVariable {
  readonly name: string;
  /** The line in the file, from 1. */
  readonly line: number;
}

/** A use of an editor variable in a template. */
interface EditorVariableUse {
  readonly name: EditorVariable;
  /** The line in the file, from 1. */
  readonly line: number;
}

/** The values of editor variables. */
type EditorValues = ReadonlyMap<EditorVariable, string>;

/** The user's input, by the names of inputs. */
export type InputValues = Readonly<Record<string, string>>;

type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | ({ readonly kind: 'editor' } & EditorVariableUse)
  | { readonly kind: 'input'; readonly name: string };

/** The text of a prompt file. Variables such as `${selection}` are replaced when the prompt is run. */
export interface Template {
  readonly pieces: readonly Piece[];
  /** The inputs without duplicates, in the order of the text. */
  readonly inputs: readonly InputVariable[];
  readonly unknown: readonly UnknownVariable[];
}

/** Matches `\${`, `${name}`, `${input:name}` and `${input:name:default value}`. A name has no line breaks. */
const variablePattern = /\\\$\{|\$\{([^{}\n]{1,1000})\}/g;

const inputPattern = /^input:([^:]*)(?::(.*))?$/;

/** @param firstLine the first line of the text in the file, from 1 */
export function readTemplate(text: string, firstLine: number): Template {
  const pieces: Piece[] = [];
  const inputs = new Map<string, InputVariable>();
  const unknown: UnknownVariable[] = [];
  let end = 0;
  let line = firstLine;
  for (const { 0: match, 1: name, index } of text.matchAll(variablePattern)) {
    const before = text.slice(end, index);
    line += countLineBreaks(before);
    pieces.push({ kind: 'text', text: before });
    end = index + match.length;
    const input = name === undefined ? undefined : parseInput(name);
    if (name === undefined) pieces.push({ kind: 'text', text: '${' });
    else if (isEditorVariable(name)) pieces.push({ kind: 'editor', name, line });
    else if (input) {
      pieces.push({ kind: 'input', name: input.name });
      const known = inputs.get(input.name);
      if (known?.fallback === undefined) inputs.set(input.name, input);
    } else {
      pieces.push({ kind: 'text', text: match });
      unknown.push({ name, line });
    }
  }
  pieces.push({ kind: 'text', text: text.slice(end) });
  return { pieces: pieces.filter(isNotEmpty), inputs: [...inputs.values()], unknown };
}

/** Finds the editor variables in a template, each with the line of its first use. */
export function findEditorVariables({ pieces }: Template): readonly EditorVariableUse[] {
  const first = new Map<EditorVariable, EditorVariableUse>();
  for (const piece of pieces) {
    if (piece.kind === 'editor' && !first.has(piece.name)) first.set(piece.name, piece);
  }
  return [...first.values()];
}

/** Replaces the variables of a template. Variables within values are not replaced. */
export function fillTemplate(template: Template, editorValues: EditorValues, values: InputValues): string {
  return fillPieces(template, editorValues, values).join('');
}

/**
 * Returns the length of the filled text, in UTF-16 units, without building the text: a short template can use a long
 * value many times.
 */
export function measureFilledTemplate(
  template: Template,
  editorValues: EditorValues,
  values: InputValues,
): number {
  return fillPieces(template, editorValues, values).reduce((sum, { length }) => sum + length, 0);
}

/** Finds the names of the required inputs that are still empty. */
export function findMissingInputs({ inputs }: Template, values: InputValues): readonly string[] {
  return inputs.filter((input) => readInputValue(input, values).trim() === '').map(({ name }) => name);
}

function fillPieces(
  { pieces, inputs }: Template,
  editorValues: EditorValues,
  values: InputValues,
): readonly string[] {
  const inputValues = new Map(inputs.map((input) => [input.name, readInputValue(input, values)]));
  return pieces.map((piece) => {
    if (piece.kind === 'text') return piece.text;
    return (piece.kind === 'editor' ? editorValues.get(piece.name) : inputValues.get(piece.name)) ?? '';
  });
}

function readInputValue({ name, fallback = '' }: InputVariable, values: InputValues): string {
  const value = Object.hasOwn(values, name) ? (values[name] ?? '') : '';
  return value.trim() === '' ? fallback : value;
}

function parseInput(name: string): InputVariable | undefined {
  const [, untrimmed = '', fallback = ''] = inputPattern.exec(name) ?? [];
  const trimmed = untrimmed.trim();
  // A property with the name `__proto__` is lost between the page and this function.
  return trimmed === '' || trimmed === '__proto__'
    ? undefined
    : { name: trimmed, fallback: fallback.trim() === '' ? undefined : fallback };
}

function isEditorVariable(name: string): name is EditorVariable {
  return editorVariables.some((known) => known === name);
}

function isNotEmpty(piece: Piece): boolean {
  return piece.kind !== 'text' || piece.text !== '';
}

function countLineBreaks(text: string): number {
  let count = 0;
  for (let index = text.indexOf('\n'); index !== -1; index = text.indexOf('\n', index + 1)) count += 1;
  return count;
}
