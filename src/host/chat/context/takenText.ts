import * as vscode from 'vscode';
import type { AskedFile } from '../../../conversations/conversation/askedFile.ts';
import { visibleText } from '../../kit/display/plainText.ts';
import { ContextError } from './contextError.ts';
import { type ContextReference, type FileReference, fileName, referenceName } from './contextReference.ts';
import { maxFileBytes, noText, readFileText, tooBig } from './fileText.ts';
import { changesText } from './gitRepositories.ts';
import { problemsText } from './problems.ts';

const megabyte = 1024 * 1024;

/** Of all that goes along with one question. */
const maxBytes = 4 * megabyte;

/**
 * Takes the text that a reference leads to, as it is now.
 *
 * @throws {ContextError} when it is gone, or cannot go along
 */
export async function takeText(reference: ContextReference): Promise<AskedFile> {
  const name = visibleText(referenceName(reference)).replace(/\s+/g, ' ');
  switch (reference.kind) {
    case 'file': {
      const { text, languageId } = await readFileText(vscode.Uri.parse(reference.uri));
      return { name, language: languageId, text: reference.lines ? linesOf(reference, text) : text };
    }
    case 'problems':
      return {
        ...{ name, language: 'text' },
        text: problemsText(reference.uri === undefined ? undefined : vscode.Uri.parse(reference.uri)),
      };
    case 'changes': {
      const text = await changesText(
        vscode.Uri.parse(reference.repository),
        reference.uri === undefined ? undefined : vscode.Uri.parse(reference.uri),
      );
      if (Buffer.byteLength(text) > maxFileBytes) throw tooBig(name, Buffer.byteLength(text));
      return { name, language: 'diff', text };
    }
    case 'text': {
      const { language, text, bytes = 0 } = reference;
      if (bytes > maxFileBytes) throw tooBig(name, bytes);
      if (text.includes('\0')) throw noText(name);
      return { name, language, text };
    }
    case 'gone':
      throw new ContextError(
        reference.type === 'other'
          ? vscode.l10n.t('“{0}” was not part of the import. Remove it here, or attach it.', name)
          : vscode.l10n.t('“{0}” is not on the disk any more. Remove it here, or attach it again.', name),
      );
  }
}

/**
 * Takes the texts of all, or none.
 *
 * @throws {ContextError} for the first that cannot go along, or where they are too much together
 */
export async function takeTexts(references: readonly ContextReference[]): Promise<readonly AskedFile[]> {
  const files = await Promise.all(references.map((reference) => takeText(reference)));
  assertNotTooMuch(files);
  return files;
}

/** @throws {ContextError} where texts are more together than goes along with one question */
export function assertNotTooMuch(files: readonly AskedFile[]): void {
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

/** The texts of those that can go along now. */
export async function textsThere(references: readonly ContextReference[]): Promise<readonly AskedFile[]> {
  const taken = await Promise.allSettled(references.map((reference) => takeText(reference)));
  return taken.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
}

function linesOf({ uri, lines = [1, 1] }: FileReference, text: string): string {
  const [first, last] = lines;
  // The line ends of VS Code's editors.
  const all = text.split(/(?<=\n|\r(?!\n))/);
  if (last > all.length || first > last) {
    throw new ContextError(
      vscode.l10n.t(
        'Lines {0} to {1} no longer exist in “{2}”, whose last line is {3}.',
        ...[first, last],
        fileName(vscode.Uri.parse(uri)),
        all.length,
      ),
    );
  }
  return all.slice(first - 1, last).join('');
}
