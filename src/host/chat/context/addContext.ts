import * as vscode from 'vscode';
import { notify } from '../../kit/display/notify.ts';
import { isPictureName } from '../../kit/pages/pictureFile.ts';
import type { Unsent } from '../asking/unsent.ts';
import { tooMany } from './chatContext.ts';
import { ContextError } from './contextError.ts';
import { type ContextReference, digestOf } from './contextReference.ts';
import { thatMayLeave } from './leaving.ts';
import { takeText } from './takenText.ts';

/** So many problems are told of those that are added at once. */
const maxTold = 3;

/** A reference to what nobody has looked at yet. */
export type NewReference =
  | Omit<Extract<ContextReference, { kind: 'file' }>, 'seen'>
  | Exclude<ContextReference, { kind: 'file' }>;

/**
 * Adds what the user chose to a chat's next question. Asks first, once for all of it, where something may not be meant
 * to leave, and tells, once as well, what cannot go along and why.
 *
 * @returns whether anything was added
 */
export async function addReferences(
  { context }: Pick<Unsent, 'context'>,
  chosen: readonly NewReference[],
): Promise<boolean> {
  const problems: string[] = [];
  const taken: ContextReference[] = [];
  for (const each of chosen) {
    const reference: ContextReference = each.kind === 'file' ? { ...each, seen: '' } : each;
    if (!context.hasRoomFor([...taken, reference])) {
      problems.push(tooMany());
      break;
    }
    try {
      const { text } = await takeText(reference);
      taken.push(reference.kind === 'file' ? { ...reference, seen: digestOf(text) } : reference);
    } catch (error) {
      if (!(error instanceof ContextError)) throw error;
      problems.push(error.message);
    }
  }
  const leaving = await thatMayLeave(taken);
  context.addAll(leaving);
  if (problems.length > 0) void notify('warning', problemWords(problems));
  return leaving.length > 0;
}

/** As `addReferences`, for one thing. */
export function addReference(unsent: Pick<Unsent, 'context'>, chosen: NewReference): Promise<boolean> {
  return addReferences(unsent, [chosen]);
}

/** The first of them, and how many others there are. */
function problemWords(problems: readonly string[]): string {
  const shown = problems.slice(0, maxTold).join(' ');
  const more = problems.length - maxTold;
  return more > 0 ? vscode.l10n.t('{0} And {1} more cannot be added.', shown, more) : shown;
}

/**
 * Adds files to a chat's next question; pictures go on as pictures.
 *
 * @returns whether any was added
 */
export async function addFiles(unsent: Unsent, files: readonly vscode.Uri[]): Promise<boolean> {
  const pictures = files.filter(({ path }) => isPictureName(path));
  const others = files.filter(({ path }) => !isPictureName(path));
  let isAny = false;
  for (const file of pictures) {
    const isAdded = await unsent.attachments.addFile(file);
    isAny ||= isAdded;
    if (unsent.attachments.isFull && !isAdded) break;
  }
  const references = others.map((uri) => ({ kind: 'file', uri: uri.toString() }) as const);
  return (await addReferences(unsent, references)) || isAny;
}

/** The lines of a range, without a last line in which it ends before the first character. */
export function selectedLines({ start, end }: vscode.Range): readonly [number, number] {
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
