import * as vscode from 'vscode';
import { readFileReference } from '../../../base/fileReference.ts';
import { findNamedFile } from '../../../base/namedFile.ts';
import type { AttachedFile } from '../../../conversations/conversation/attachedFile.ts';
import { notify } from '../../kit/display/notify.ts';
import { type FoundRow, pickAsTyped } from '../../kit/display/pickAsTyped.ts';
import { visibleText } from '../../kit/display/plainText.ts';
import { type Choice, pick } from '../../kit/display/quickInput.ts';
import { selectedLines } from '../context/addContext.ts';
import { ContextError } from '../context/contextError.ts';
import { displayPath } from '../context/contextReference.ts';
import { findFiles } from '../context/findFiles.ts';
import { readOnlyRefusal } from '../replies/readOnlyFiles.ts';
import { findWorkspaceFile, mayChange, newWorkspaceFile } from '../replies/workspaceFiles.ts';
import { currentText, isReadOnly, withUnixEnds } from './currentFileText.ts';
import type { FileProposals } from './fileProposals.ts';
import { proposedText, replacePart, type SentLines } from './proposedText.ts';

/** A code block of a reply. */
interface ReplyCode {
  /** The text after the opening fence. */
  readonly info: string;
  readonly text: string;
  /** The files sent with the question. */
  readonly files: readonly AttachedFile[];
}

/** The offsets of a part of a text, in UTF-16 units. */
type Part = readonly [start: number, end: number];

/** Proposes to apply code blocks to files. A file is changed only after the user has seen the differences. */
export class CodeApplier {
  readonly #proposals: FileProposals;
  readonly #editor: () => vscode.TextEditor | undefined;

  /** @param editor the last used text editor */
  constructor(proposals: FileProposals, editor: () => vscode.TextEditor | undefined) {
    this.#proposals = proposals;
    this.#editor = editor;
  }

  /** Shows how a code block would change its file. Prompts the user if the file or the part of it is unclear. */
  async propose(block: ReplyCode): Promise<void> {
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

  async #proposeFor(file: vscode.Uri, block: ReplyCode): Promise<void> {
    const original = await currentText(file);
    const text = await this.#textFor(file, original ?? '', block);
    if (text === undefined) return;
    if (text === original) {
      void notify('info', vscode.l10n.t('“{0}” already contains this code.', displayPath(file)));
      return;
    }
    const compareAgain = () => this.#proposeFor(file, block);
    await this.#proposals.compare({ file, original, text, compareAgain }, displayPath(file));
  }

  /**
   * The file named by the block, the only attached file, the last edited file, or a file that the user chooses.
   */
  async #target({ info, text, files }: ReplyCode): Promise<vscode.Uri | undefined> {
    const named = findNamedFile(info, text);
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

  /** The proposed text of the file; undefined if the user cancels. */
  async #textFor(file: vscode.Uri, original: string, block: ReplyCode): Promise<string | undefined> {
    const code = codeFor(original, block);
    const sentLines = await findSentLines(file, block.files);
    const proposed = proposedText(original, code, sentLines);
    if ('text' in proposed) return proposed.text;
    const part = await this.#chosenPart(file, original);
    return part && replacePart(original, part[0], part[1], code);
  }

  /** Lets the user choose the part of the file to replace. */
  async #chosenPart(file: vscode.Uri, original: string): Promise<Part | undefined> {
    const editor = this.#editor();
    const isShown = editor?.document.uri.toString() === file.toString();
    const choices: (Choice & { readonly part: Part })[] = [];
    if (editor && isShown) {
      const { document, selection } = editor;
      const part = partOf(document, selection);
      choices.push({ label: selectionLabel(selection), part });
    }
    choices.push({ label: vscode.l10n.t('Replace the Whole File'), part: [0, original.length] });
    const chosen = await pick(choices, {
      title: vscode.l10n.t(
        'This code looks like a part of “{0}”. Choose where to apply it:',
        displayPath(file),
      ),
      placeHolder: isShown
        ? vscode.l10n.t('The differences are shown before anything is changed')
        : vscode.l10n.t('To replace a part, select it in the file first'),
    });
    return chosen?.part;
  }
}

/** The code without a first line that only names the file, unless the file starts with the same line. */
function codeFor(original: string, { info, text }: ReplyCode): string {
  const code = withUnixEnds(visibleText(text));
  if (!findNamedFile(info, code)?.isInFirstLine) return code;
  const [first = ''] = code.split('\n', 1);
  return original.startsWith(first) ? code : code.slice(first.length + 1).replace(/^\n/, '');
}

/** The workspace files that were sent with the question, without duplicates. */
async function attachedFiles(files: readonly AttachedFile[]): Promise<readonly vscode.Uri[]> {
  const found = await Promise.all(files.map(({ name }) => findWorkspaceFile(nameWithoutSymbol(name))));
  const uris = found.flatMap((each) => (each ? [each.uri] : []));
  return [...new Map(uris.map((uri) => [uri.toString(), uri])).values()];
}

/** The lines of a file that were sent. Undefined if it was sent as a whole, several times, or not at all. */
async function findSentLines(
  file: vscode.Uri,
  files: readonly AttachedFile[],
): Promise<SentLines | undefined> {
  const sentParts: AttachedFile[] = [];
  for (const sentFile of files) {
    const found = await findWorkspaceFile(nameWithoutSymbol(sentFile.name));
    if (found?.uri.toString() === file.toString()) sentParts.push(sentFile);
  }
  const [only] = sentParts;
  if (!only) return undefined;
  const line = readFileReference(nameWithoutSymbol(only.name))?.line;
  return sentParts.length === 1 && line !== undefined
    ? { text: withUnixEnds(only.text), first: line }
    : undefined;
}

/** The name of a sent file, without the name of a symbol in parentheses. */
function nameWithoutSymbol(name: string): string {
  return name.replace(/ \([^()]*\)$/, '');
}

function selectionLabel(selection: vscode.Selection): string {
  const [first, last] = selectedLines(selection);
  if (selection.isEmpty) return vscode.l10n.t('Insert at the Cursor, in Line {0}', first);
  return first === last
    ? vscode.l10n.t('Replace the Selection, in Line {0}', first)
    : vscode.l10n.t('Replace the Selection, Lines {0} to {1}', first, last);
}

/** The range as offsets in the text with `\n` as its line ends. */
function partOf(document: vscode.TextDocument, selection: vscode.Selection): Part {
  const before = new vscode.Range(new vscode.Position(0, 0), selection.start);
  const start = withUnixEnds(document.getText(before)).length;
  return [start, start + withUnixEnds(document.getText(selection)).length];
}

/** @param suggested the files that are listed before the user types */
async function pickFile(
  title: string,
  suggested: readonly vscode.Uri[] = [],
): Promise<vscode.Uri | undefined> {
  interface Row extends FoundRow {
    readonly uri?: vscode.Uri;
  }
  const picked = await pickAsTyped<Row>({
    title,
    placeHolder: vscode.l10n.t('Type part of the path'),
    find: async (typed, show, signal) => {
      const found =
        typed.trim() === '' && suggested.length > 0 ? suggested : await findFiles(typed.trim(), signal);
      show(
        found.map((uri) => ({ label: displayPath(uri), icon: 'file', uri })),
        title,
      );
    },
  });
  return picked?.uri;
}

function refusal(file: vscode.Uri): string {
  return vscode.l10n.t(
    'The code cannot be applied to “{0}”: files outside the workspace and files whose names begin with a dot are not changed automatically. Copy the code instead.',
    displayPath(file),
  );
}
