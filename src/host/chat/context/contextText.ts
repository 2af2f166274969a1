import * as vscode from 'vscode';
import type { AttachedFile } from '../../../conversations/conversation/attachedFile.ts';
import { removeHidden } from '../../kit/display/plainText.ts';
import {
  ContextError,
  type ContextReference,
  formatDisplayPath,
  formatReferenceName,
} from './contextReference.ts';
import {
  createNotTextError,
  createTooLargeError,
  createUnreadableError,
  maxFileBytes,
  readFileText,
} from './fileText.ts';
import { readChangesText } from './gitRepositories.ts';
import { formatProblems } from './problemsText.ts';

const megabyte = 1024 * 1024;

/** The maximum size of all context items of a question together, in bytes. */
const maxBytes = 4 * megabyte;

/**
 * Reads the current text of a reference.
 *
 * @throws {ContextError} if the text is missing or cannot be sent
 */
export async function readContextText(reference: ContextReference): Promise<AttachedFile> {
  const name = removeHidden(formatReferenceName(reference)).replace(/\s+/g, ' ');
  switch (reference.kind) {
    case 'file': {
      const { text, languageId } = await readFileText(vscode.Uri.parse(reference.uri));
      return {
        name,
        language: languageId,
        text: reference.lines ? selectLines(text, reference.lines, reference.uri) : text,
      };
    }
    case 'problems':
      return {
        name,
        language: 'text',
        text: formatProblems(reference.uri === undefined ? undefined : vscode.Uri.parse(reference.uri)),
      };
    case 'changes': {
      const text = await readChangesText(
        vscode.Uri.parse(reference.repository),
        reference.uri === undefined ? undefined : vscode.Uri.parse(reference.uri),
      );
      if (Buffer.byteLength(text) > maxFileBytes) throw createTooLargeError(name, Buffer.byteLength(text));
      return { name, language: 'diff', text };
    }
    case 'text': {
      const { language, text, bytes = 0 } = reference;
      if (bytes > maxFileBytes) throw createTooLargeError(name, bytes);
      if (text === '' && bytes > 0) throw createUnreadableError(name);
      if (text.includes('\0')) throw createNotTextError(name);
      return { name, language, text };
    }
    case 'missing':
      throw new ContextError(
        reference.type === 'other'
          ? vscode.l10n.t('“{0}” was not part of the import. Remove it here, or attach it.', name)
          : vscode.l10n.t('“{0}” is no longer on the disk. Remove it here, or attach it again.', name),
      );
  }
}

/**
 * Reads the texts of all references.
 *
 * @throws {ContextError} for the first reference that cannot be sent, or if the texts together are too large
 */
export async function readContextTexts(
  references: readonly ContextReference[],
): Promise<readonly AttachedFile[]> {
  const files = await Promise.all(references.map((reference) => readContextText(reference)));
  assertContextSize(files);
  return files;
}

/** @throws {ContextError} if the texts together exceed the limit of a question */
export function assertContextSize(files: readonly AttachedFile[]): void {
  const bytes = files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  if (bytes > maxBytes) {
    throw new ContextError(
      vscode.l10n.t(
        'The context is too large: {0} MB, and one question can have at most {1} MB. Remove some of it.',
        (bytes / megabyte).toFixed(1),
        maxBytes / megabyte,
      ),
    );
  }
}

/** Reads the texts of the references that can be sent now. Other references are skipped. */
export async function readAvailableTexts(
  references: readonly ContextReference[],
): Promise<readonly AttachedFile[]> {
  const results = await Promise.allSettled(references.map((reference) => readContextText(reference)));
  return results.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
}

/** @throws {ContextError} if the lines no longer exist */
function selectLines(text: string, [first, last]: readonly [number, number], uri: string): string {
  // Split at the same line ends as VS Code's editors.
  const all = text.split(/(?<=\n|\r(?!\n))/);
  if (last > all.length || first > last) {
    throw new ContextError(
      vscode.l10n.t(
        'Lines {0} to {1} no longer exist in “{2}”, whose last line is {3}.',
        first,
        last,
        formatDisplayPath(vscode.Uri.parse(uri)),
        all.length,
      ),
    );
  }
  return all.slice(first - 1, last).join('');
}
