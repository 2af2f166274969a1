import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { findNamedFile, readFileReference } from '../../../base/fileReference.ts';
import type { AttachedFile } from '../../../conversations/conversation/attachedFile.ts';
import { fileExists } from '../../kit/display/editors.ts';
import { notify } from '../../kit/display/notify.ts';
import { type FoundRow, pickAsTyped } from '../../kit/display/pickAsTyped.ts';
import { removeHidden } from '../../kit/display/plainText.ts';
import { type Choice, pick } from '../../kit/display/quickInput.ts';
import { toLineNumbers } from '../context/addContext.ts';
import { ContextError, formatDisplayPath } from '../context/contextReference.ts';
import { readFileText } from '../context/fileText.ts';
import { findFiles } from '../context/findFiles.ts';
import { describeReadOnlyRefusal, isReadOnlyBySettings } from '../replies/readOnlyFiles.ts';
import { findNewFileLocation, findWorkspaceFile, mayChange } from '../replies/workspaceFiles.ts';
import type { FileProposals } from './fileProposals.ts';
import { proposeText, replacePart, type SentLines } from './proposedText.ts';

/** A code block of a reply. */
interface ReplyCodeBlock {
  /** The text after the opening fence. */
  readonly info: string;
  readonly text: string;
  /** The files sent with the question. */
  readonly files: readonly AttachedFile[];
}

/** The offsets of a part of a text, in UTF-16 units. */
type TextRange = readonly [start: number, end: number];

/** Proposes changes of files from code blocks. A file changes only after the user has accepted the differences. */
export class CodeApplier {
  readonly #proposals: FileProposals;
  readonly #getEditor: () => vscode.TextEditor | undefined;

  /** @param getEditor returns the last used text editor */
  constructor(proposals: FileProposals, getEditor: () => vscode.TextEditor | undefined) {
    this.#proposals = proposals;
    this.#getEditor = getEditor;
  }

  /** Shows how a code block would change its file. The user chooses the file, or its part, if they are ambiguous. */
  async propose(block: ReplyCodeBlock): Promise<void> {
    const file = await this.#resolveTarget(block);
    if (!file) return;
    if (!(await mayChange(file))) {
      void notify('info', describeRefusal(file));
      return;
    }
    if (await isReadOnly(file)) {
      void notify('info', describeReadOnlyRefusal(file));
      return;
    }
    try {
      await this.#proposeForFile(file, block);
    } catch (error) {
      if (!(error instanceof ContextError)) throw error;
      void notify('warning', error.message);
    }
  }

  async #proposeForFile(file: vscode.Uri, block: ReplyCodeBlock): Promise<void> {
    const original = await readCurrentText(file);
    const text = await this.#createProposedText(file, original ?? '', block);
    if (text === undefined) return;
    if (text === original) {
      void notify('info', vscode.l10n.t('“{0}” already contains this code.', formatDisplayPath(file)));
      return;
    }
    const compareAgain = () => this.#proposeForFile(file, block);
    const proposal = { id: randomUUID(), file, original, text, compareAgain };
    await this.#proposals.compare(proposal, formatDisplayPath(file));
  }

  /**
   * Finds the file that the block names, otherwise the only attached file, otherwise the file of the last used editor.
   * The user chooses if the named file does not exist, if several files are attached, or if there is no editor.
   */
  async #resolveTarget({ info, text, files }: ReplyCodeBlock): Promise<vscode.Uri | undefined> {
    const namedFile = findNamedFile(info, text);
    if (namedFile) {
      const { path } = namedFile.reference;
      const found = (await findWorkspaceFile(path))?.uri ?? (await findNewFileLocation(path));
      if (found) return found;
      const title = vscode.l10n.t('There is no file “{0}” in this workspace. Choose another:', path);
      return pickFile(title);
    }
    const attached = await findAttachedFiles(files);
    if (attached.length === 1) return attached[0];
    if (attached.length > 1) return pickFile(vscode.l10n.t('Choose the file to apply the code to'), attached);
    return this.#getEditor()?.document.uri ?? pickFile(vscode.l10n.t('Choose the file to apply the code to'));
  }

  /** Returns the proposed text of the file; undefined if the user cancels. */
  async #createProposedText(
    file: vscode.Uri,
    original: string,
    block: ReplyCodeBlock,
  ): Promise<string | undefined> {
    const code = removeFileNameLine(original, block);
    const sentLines = await findSentLines(file, block.files);
    const proposed = proposeText(original, code, sentLines);
    if ('text' in proposed) return proposed.text;
    const range = await this.#pickRange(file, original);
    return range && replacePart(original, range[0], range[1], code);
  }

  /** Lets the user choose the part of the file to replace. */
  async #pickRange(file: vscode.Uri, original: string): Promise<TextRange | undefined> {
    const editor = this.#getEditor();
    const isShown = editor?.document.uri.toString() === file.toString();
    const choices: (Choice & { readonly range: TextRange })[] = [];
    if (editor && isShown) {
      const { document, selection } = editor;
      choices.push({ label: describeSelection(selection), range: toTextRange(document, selection) });
    }
    choices.push({ label: vscode.l10n.t('Replace the Whole File'), range: [0, original.length] });
    const chosen = await pick(choices, {
      title: vscode.l10n.t(
        'This code looks like a part of “{0}”. Choose where to apply it:',
        formatDisplayPath(file),
      ),
      placeHolder: isShown
        ? vscode.l10n.t('The differences are shown before anything is changed')
        : vscode.l10n.t('To replace a part, select it in the file first'),
    });
    return chosen?.range;
  }
}

/** Removes the first line of the code if it only names the file, unless the file starts with the same line. */
function removeFileNameLine(original: string, { info, text }: ReplyCodeBlock): string {
  const code = toUnixLineEnds(removeHidden(text));
  if (!findNamedFile(info, code)?.isInFirstLine) return code;
  const [first = ''] = code.split('\n', 1);
  return original.startsWith(first) ? code : code.slice(first.length + 1).replace(/^\n/, '');
}

/** Finds the workspace files that were sent with the question, without duplicates. */
async function findAttachedFiles(files: readonly AttachedFile[]): Promise<readonly vscode.Uri[]> {
  const found = await Promise.all(files.map(({ name }) => findWorkspaceFile(removeSymbolName(name))));
  const uris = found.flatMap((each) => (each ? [each.uri] : []));
  return [...new Map(uris.map((uri) => [uri.toString(), uri])).values()];
}

/** Finds the sent lines of a file; undefined if the file was sent as a whole, several times, or not at all. */
async function findSentLines(
  file: vscode.Uri,
  files: readonly AttachedFile[],
): Promise<SentLines | undefined> {
  const sentParts: AttachedFile[] = [];
  for (const sentFile of files) {
    const found = await findWorkspaceFile(removeSymbolName(sentFile.name));
    if (found?.uri.toString() === file.toString()) sentParts.push(sentFile);
  }
  const [only] = sentParts;
  if (!only) return undefined;
  const line = readFileReference(removeSymbolName(only.name))?.line;
  return sentParts.length === 1 && line !== undefined
    ? { text: toUnixLineEnds(only.text), firstLine: line }
    : undefined;
}

/** Removes the name of a symbol in parentheses from the name of a sent file. */
function removeSymbolName(name: string): string {
  return name.replace(/ \([^()]*\)$/, '');
}

function describeSelection(selection: vscode.Selection): string {
  const [first, last] = toLineNumbers(selection);
  if (selection.isEmpty) return vscode.l10n.t('Insert at the Cursor, in Line {0}', first);
  return first === last
    ? vscode.l10n.t('Replace the Selection, in Line {0}', first)
    : vscode.l10n.t('Replace the Selection, Lines {0} to {1}', first, last);
}

/** Converts a selection to offsets in the document's text, whose line ends are converted to `\n`. */
function toTextRange(document: vscode.TextDocument, selection: vscode.Selection): TextRange {
  const before = new vscode.Range(new vscode.Position(0, 0), selection.start);
  const start = toUnixLineEnds(document.getText(before)).length;
  return [start, start + toUnixLineEnds(document.getText(selection)).length];
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
        found.map((uri) => ({ label: formatDisplayPath(uri), icon: 'file', uri })),
        title,
      );
    },
  });
  return picked?.uri;
}

function describeRefusal(file: vscode.Uri): string {
  return vscode.l10n.t(
    'The code cannot be applied to “{0}”: files outside the workspace and files whose names begin with a dot are not changed automatically. Copy the code instead.',
    formatDisplayPath(file),
  );
}

/**
 * Reads the current text of a file with its unsaved edits. Converts line ends to `\n`.
 *
 * @returns undefined if the file does not exist
 * @throws {ContextError} if the file cannot be read, is not a text file, or is too large
 */
export async function readCurrentText(file: vscode.Uri): Promise<string | undefined> {
  if (!(await exists(file))) return undefined;
  return toUnixLineEnds((await readFileText(file)).text);
}

/** Whether the user's settings make a file read-only. */
export async function isReadOnly(file: vscode.Uri): Promise<boolean> {
  if (!(await exists(file))) return false;
  return vscode.workspace.openTextDocument(file).then(isReadOnlyBySettings, () => false);
}

export function toUnixLineEnds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/** Whether the file exists on disk or as an unsaved document. */
async function exists(file: vscode.Uri): Promise<boolean> {
  const key = file.toString();
  const { textDocuments } = vscode.workspace;
  const isUnsaved = textDocuments.some(({ uri, isDirty }) => isDirty && uri.toString() === key);
  return file.scheme === 'untitled' || isUnsaved || fileExists(file);
}
