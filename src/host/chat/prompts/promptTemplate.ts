// The text of a prompt file: words, and variables such as `${selection}`, which stand for something else once the
// prompt is run.

/** What VS Code knows of the editor and the workspace by the time a prompt is run. */
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

/** A variable whose value the user writes when the prompt is run. */
export interface InputVariable {
  readonly name: string;
  /** What it stands for where nothing is written; one without has to be written. */
  readonly fallback: string | undefined;
}

/** A name in a template that nobody knows. It stays as it is written. */
export interface UnknownVariable {
  readonly name: string;
  /** From 1, in the file. */
  readonly line: number;
}

/** A value of the editor that a template asks for. */
export interface EditorValue {
  readonly name: EditorVariable;
  /** From 1, in the file. */
  readonly line: number;
}

/** What the editor's variables stand for. */
type EditorTexts = ReadonlyMap<EditorVariable, string>;

/** What the user wrote, by the names of inputs. */
type Written = Readonly<Record<string, string>>;

type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | ({ readonly kind: 'editor' } & EditorValue)
  | { readonly kind: 'input'; readonly name: string };

export interface Template {
  readonly pieces: readonly Piece[];
  /** Each once, in the order of the text. */
  readonly inputs: readonly InputVariable[];
  readonly unknown: readonly UnknownVariable[];
}

/** `\${` and `${name}`, `${input:name}`, `${input:name:what it is by default}`. A name has no line breaks. */
const variable = /\\\$\{|\$\{([^{}\n]{1,1000})\}/g;

const inputName = /^input:([^:]*)(?::(.*))?$/;

/** @param firstLine the line of the file that the text begins in, from 1 */
export function readTemplate(text: string, firstLine: number): Template {
  const pieces: Piece[] = [];
  const inputs = new Map<string, InputVariable>();
  const unknown: UnknownVariable[] = [];
  let read = 0;
  let line = firstLine;
  for (const { 0: written, 1: name, index } of text.matchAll(variable)) {
    const before = text.slice(read, index);
    line += countLineBreaks(before);
    pieces.push({ kind: 'text', text: before });
    read = index + written.length;
    const input = name === undefined ? undefined : inputOf(name);
    if (name === undefined) pieces.push({ kind: 'text', text: '${' });
    else if (isEditorVariable(name)) pieces.push({ kind: 'editor', name, line });
    else if (input) {
      pieces.push({ kind: 'input', name: input.name });
      const known = inputs.get(input.name);
      if (known?.fallback === undefined) inputs.set(input.name, input);
    } else {
      pieces.push({ kind: 'text', text: written });
      unknown.push({ name, line });
    }
  }
  pieces.push({ kind: 'text', text: text.slice(read) });
  return { pieces: pieces.filter(isWritten), inputs: [...inputs.values()], unknown };
}

/** The values of the editor that a template asks for, each where it is first asked for. */
export function editorValuesIn({ pieces }: Template): readonly EditorValue[] {
  const first = new Map<EditorVariable, EditorValue>();
  for (const piece of pieces) {
    if (piece.kind === 'editor' && !first.has(piece.name)) first.set(piece.name, piece);
  }
  return [...first.values()];
}

/** The text with what its variables stand for. What a value holds is never read as a variable. */
export function filledTemplate(template: Template, editor: EditorTexts, written: Written): string {
  return filledPieces(template, editor, written).join('');
}

/** How long the filled text would be, in UTF-16 units. A short template can name a long text often. */
export function filledLength(template: Template, editor: EditorTexts, written: Written): number {
  return filledPieces(template, editor, written).reduce((sum, { length }) => sum + length, 0);
}

/** The names of the inputs that are still to be written. */
export function missingInputs({ inputs }: Template, written: Written): readonly string[] {
  return inputs.filter((input) => writtenValue(input, written).trim() === '').map(({ name }) => name);
}

function filledPieces(
  { pieces, inputs }: Template,
  editor: EditorTexts,
  written: Written,
): readonly string[] {
  const values = new Map(inputs.map((input) => [input.name, writtenValue(input, written)]));
  return pieces.map((piece) => {
    if (piece.kind === 'text') return piece.text;
    return (piece.kind === 'editor' ? editor.get(piece.name) : values.get(piece.name)) ?? '';
  });
}

function writtenValue({ name, fallback = '' }: InputVariable, written: Written): string {
  const value = Object.hasOwn(written, name) ? (written[name] ?? '') : '';
  return value.trim() === '' ? fallback : value;
}

function inputOf(name: string): InputVariable | undefined {
  const [, given = '', fallback = ''] = inputName.exec(name) ?? [];
  const named = given.trim();
  // Some of those that values pass on their way leave out a value of this name.
  return named === '' || named === '__proto__'
    ? undefined
    : { name: named, fallback: fallback.trim() === '' ? undefined : fallback };
}

function isEditorVariable(name: string): name is EditorVariable {
  return editorVariables.some((known) => known === name);
}

function isWritten(piece: Piece): boolean {
  return piece.kind !== 'text' || piece.text !== '';
}

function countLineBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
