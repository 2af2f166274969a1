import type * as vscode from 'vscode';
import type { Unsent } from '../chat/asking/unsent.ts';
import { notify } from '../display/notify.ts';
import { pictureExtensions } from '../pages/pictureFile.ts';
import { ContextError } from './contextError.ts';
import { type ContextReference, digestOf } from './contextReference.ts';
import { mayLeave } from './leaving.ts';
import { takeText } from './takenText.ts';

/** A reference to what nobody has looked at yet. */
export type NewReference =
  | Omit<Extract<ContextReference, { kind: 'file' }>, 'seen'>
  | Exclude<ContextReference, { kind: 'file' }>;

/**
 * Adds what the user chose to a chat's next question. Asks first where it may not be meant to leave, and tells why
 * it cannot go along.
 *
 * @returns whether it was added
 */
export async function addReference(
  { context }: Pick<Unsent, 'context'>,
  chosen: NewReference,
): Promise<boolean> {
  const reference: ContextReference = chosen.kind === 'file' ? { ...chosen, seen: '' } : chosen;
  try {
    const { text } = await takeText(reference);
    if (!(await mayLeave(reference))) return false;
    context.add(reference.kind === 'file' ? { ...reference, seen: digestOf(text) } : reference);
    return true;
  } catch (error) {
    if (!(error instanceof ContextError)) throw error;
    void notify('warning', error.message);
    return false;
  }
}

/**
 * Adds files to a chat's next question; pictures go on as pictures.
 *
 * @returns whether any was added
 */
export async function addFiles(unsent: Unsent, files: readonly vscode.Uri[]): Promise<boolean> {
  let isAny = false;
  for (const file of files) {
    const isAdded = isPicture(file)
      ? await unsent.attachments.addFile(file)
      : await addReference(unsent, { kind: 'file', uri: file.toString() });
    isAny ||= isAdded;
  }
  return isAny;
}

/** The lines of a selection: a line in which it ends before the first character is none of them. */
export function selectedLines({ start, end }: vscode.Selection): readonly [number, number] {
  const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  return [start.line + 1, last];
}

/** What is selected in an editor, each selection by itself. */
export function selectionsOf({ document, selections }: vscode.TextEditor): readonly NewReference[] {
  return selections
    .filter(({ isEmpty }) => !isEmpty)
    .map((selection) => ({
      ...{ kind: 'file', uri: document.uri.toString() },
      lines: [...selectedLines(selection)] as [number, number],
    }));
}

function isPicture({ path }: vscode.Uri): boolean {
  const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return pictureExtensions.includes(ending);
}
