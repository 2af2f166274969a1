import * as vscode from 'vscode';
import { readFileReference } from '../../../base/fileReference.ts';
import { namedFile } from '../../../base/namedFile.ts';
import type { AskedFile } from '../../../conversations/conversation/askedFile.ts';
import { notify } from '../../kit/display/notify.ts';
import { visibleText } from '../../kit/display/plainText.ts';
import { type Choice, pick } from '../../kit/display/prompts.ts';
import { type FoundRow, pickAsTyped } from '../../kit/display/typedList.ts';
import { selectedLines } from '../context/addContext.ts';
import { ContextError } from '../context/contextError.ts';
import { fileName } from '../context/contextReference.ts';
import { findFiles } from '../context/foundFiles.ts';
import { readOnlyRefusal } from '../replies/readOnlyFiles.ts';
import { findWorkspaceFile, mayChange, newWorkspaceFile } from '../replies/workspaceFiles.ts';
import { isReadOnly, textOf, withUnixEnds } from './currentText.ts';
import type { Proposals } from './proposals.ts';
import { type AnsweredLines, proposedText, replaced } from './proposedText.ts';

/** A block of code of a reply. */
export interface CodeBlock {
  /** What stands after its fence. */
  readonly info: string;
  readonly text: string;
  /** What went along with the question that it answers. */
  readonly files: readonly AskedFile[];
}

/** A part of a text, in UTF-16 units. */
type Part = readonly [start: number, end: number];

/** Proposes blocks of code for files. Nothing is changed before the user saw the difference. */
export class CodeApplying {
  readonly #proposals: Proposals;
  readonly #editor: () => vscode.TextEditor | undefined;

  /** @param editor the text editor that was used last */
  constructor(proposals: Proposals, editor: () => vscode.TextEditor | undefined) {
    this.#proposals = proposals;
    this.#editor = editor;
  }

  /** Shows what a block of code would change in the file that it is for. Asks where that is not clear. */
  async propose(block: CodeBlock): Promise<void> {
    const file = await this.#target(block);
    if (!file) return;
    if (!(await mayChange(file))) {
      void notify('info', refusal(file));
      return;
    }
    if (await isReadOnly(file)) {
      void notify('info', readOnlyRefusal(file));
      return;
    }
    try {
      await this.#proposeFor(file, block);
    } catch (error) {
      if (!(error instanceof ContextError)) throw error;
      void notify('warning', error.message);
    }
  }

  async #proposeFor(file: vscode.Uri, block: CodeBlock): Promise<void> {
    const original = await textOf(file);
    const text = await this.#textFor(file, original ?? '', block);
    if (text === undefined) return;
    if (text === original) {
      void notify('info', vscode.l10n.t('“{0}” has this code already.', fileName(file)));
      return;
    }
    const again = () => this.#proposeFor(file, block);
    await this.#proposals.compare({ file, original, text, again }, fileName(file));
  }

  /** The file that the block names, the only one that went along, the one that was edited last, or a chosen one. */
  async #target({ info, text, files }: CodeBlock): Promise<vscode.Uri | undefined> {
    const named = namedFile(info, text);
    if (named) {
      const { path } = named.reference;
      const found = (await findWorkspaceFile(path))?.uri ?? (await newWorkspaceFile(path));
      if (found) return found;
      const title = vscode.l10n.t('There is no file “{0}” in this workspace. Choose another:', path);
      return pickFile(title);
    }
    const attached = await attachedFiles(files);
    if (attached.length === 1) return attached[0];
    if (attached.length > 1) return pickFile(vscode.l10n.t('Choose the file to apply the code to'), attached);
    return this.#editor()?.document.uri ?? pickFile(vscode.l10n.t('Choose the file to apply the code to'));
  }

  /** What the file would be; undefined when the user cancels. */
  async #textFor(file: vscode.Uri, original: string, block: CodeBlock): Promise<string | undefined> {
    const code = codeFor(original, block);
    const answered = await answeredLines(file, block.files);
    const proposed = proposedText(original, code, answered);
    if ('text' in proposed) return proposed.text;
    const part = await this.#chosenPart(file, original);
    return part && replaced(original, part[0], part[1], code);
  }

  /** Asks what the code is to take the place of. */
  async #chosenPart(file: vscode.Uri, original: string): Promise<Part | undefined> {
    const editor = this.#editor();
    const isShown = editor?.document.uri.toString() === file.toString();
    const places: (Choice & { readonly part: Part })[] = [];
    if (editor && isShown) {
      const { document, selection } = editor;
      const part = partOf(document, selection);
      places.push({ label: placeWords(selection), part });
    }
    places.push({ label: vscode.l10n.t('Replace the Whole File'), part: [0, original.length] });
    const chosen = await pick(places, {
      title: vscode.l10n.t('This code looks like a part of “{0}”. Choose where to apply it:', fileName(file)),
      placeHolder: isShown
        ? vscode.l10n.t('You see the difference before anything is changed')
        : vscode.l10n.t('To replace a part, select it in the file first'),
    });
    return chosen?.part;
  }
}

/** Without a first line that only names the file, unless the file has it. */
function codeFor(original: string, { info, text }: CodeBlock): string {
  const code = withUnixEnds(visibleText(text));
  if (!namedFile(info, code)?.isInFirstLine) return code;
  const [first = ''] = code.split('\n', 1);
  return original.startsWith(first) ? code : code.slice(first.length + 1).replace(/^\n/, '');
}

/** The files that went along, each once. */
async function attachedFiles(files: readonly AskedFile[]): Promise<readonly vscode.Uri[]> {
  const found = await Promise.all(files.map(({ name }) => findWorkspaceFile(placeOf(name))));
  const uris = found.flatMap((each) => (each ? [each.uri] : []));
  return [...new Map(uris.map((uri) => [uri.toString(), uri])).values()];
}

/** The lines of a file that went along, if they are the only ones, and the file did not go along whole. */
async function answeredLines(
  file: vscode.Uri,
  files: readonly AskedFile[],
): Promise<AnsweredLines | undefined> {
  const ofFile: AskedFile[] = [];
  for (const asked of files) {
    const found = await findWorkspaceFile(placeOf(asked.name));
    if (found?.uri.toString() === file.toString()) ofFile.push(asked);
  }
  const [only] = ofFile;
  if (!only) return undefined;
  const line = readFileReference(placeOf(only.name))?.line;
  return ofFile.length === 1 && line !== undefined
    ? { text: withUnixEnds(only.text), first: line }
    : undefined;
}

/** The name of what went along, without the symbol. */
function placeOf(name: string): string {
  return name.replace(/ \([^()]*\)$/, '');
}

function placeWords(selection: vscode.Selection): string {
  const [first, last] = selectedLines(selection);
  if (selection.isEmpty) return vscode.l10n.t('Insert at the Cursor, in Line {0}', first);
  return first === last
    ? vscode.l10n.t('Replace the Selection, in Line {0}', first)
    : vscode.l10n.t('Replace the Selection, Lines {0} to {1}', first, last);
}

/** In the text with `\n` as its line ends. */
function partOf(document: vscode.TextDocument, selection: vscode.Selection): Part {
  const before = new vscode.Range(new vscode.Position(0, 0), selection.start);
  const start = withUnixEnds(document.getText(before)).length;
  return [start, start + withUnixEnds(document.getText(selection)).length];
}

async function pickFile(title: string, first: readonly vscode.Uri[] = []): Promise<vscode.Uri | undefined> {
  interface Row extends FoundRow {
    readonly uri?: vscode.Uri;
  }
  const picked = await pickAsTyped<Row>({
    title,
    placeHolder: vscode.l10n.t('A part of its path'),
    find: async (typed, show, signal) => {
      const found = typed.trim() === '' && first.length > 0 ? first : await findFiles(typed.trim(), signal);
      show(
        found.map((uri) => ({ label: fileName(uri), icon: 'file', uri })),
        title,
      );
    },
  });
  return picked?.uri;
}

function refusal(file: vscode.Uri): string {
  return vscode.l10n.t(
    'The code cannot be applied to “{0}”: files outside the workspace and files whose names begin with a dot are not changed automatically. Copy the code instead.',
    fileName(file),
  );
}
