import * as vscode from 'vscode';
import { notify } from '../../kit/display/notify.ts';
import { isPictureName } from '../../kit/pages/receivedPictures.ts';
import { describeTooManyItems } from './chatContext.ts';
import { ContextError, type ContextReference, computeDigest } from './contextReference.ts';
import { readContextText } from './contextText.ts';
import { requestSendConsent } from './sendConsent.ts';
import type { UnsentInput } from './unsentInput.ts';

/** The maximum number of problems that a warning lists. */
const maxShownProblems = 3;

/** A reference to add. A reference to a file has no digest of its text yet. */
export type NewReference =
  | Omit<Extract<ContextReference, { kind: 'file' }>, 'digest'>
  | Exclude<ContextReference, { kind: 'file' }>;

/**
 * Adds references to the context of a chat's next question. The user has to confirm items that probably should not be
 * sent. A single warning lists the items that cannot be added.
 *
 * @returns whether anything was added
 */
export async function addReferences(
  { context }: Pick<UnsentInput, 'context'>,
  chosen: readonly NewReference[],
): Promise<boolean> {
  const problems = new Set<string>();
  const readable: ContextReference[] = [];
  for (const each of chosen) {
    const reference: ContextReference = each.kind === 'file' ? { ...each, digest: '' } : each;
    if (!context.hasRoomFor([...readable, reference])) {
      problems.add(describeTooManyItems());
      break;
    }
    try {
      const { text } = await readContextText(reference);
      readable.push(reference.kind === 'file' ? { ...reference, digest: computeDigest(text) } : reference);
    } catch (error) {
      if (!(error instanceof ContextError)) throw error;
      problems.add(error.message);
    }
  }
  const allowed = await requestSendConsent(readable);
  // Other items may have been added while these were read or confirmed.
  const fitting = allowed.filter((_, index) => context.hasRoomFor(allowed.slice(0, index + 1)));
  context.addAll(fitting);
  if (fitting.length < allowed.length) problems.add(describeTooManyItems());
  if (problems.size > 0) void notify('warning', joinProblems([...problems]));
  return fitting.length > 0;
}

/** Joins the first problems, and appends the number of further problems. */
function joinProblems(problems: readonly string[]): string {
  const shown = problems.slice(0, maxShownProblems).join(' ');
  const more = problems.length - maxShownProblems;
  return more > 0 ? vscode.l10n.t('{0} {1} more cannot be added.', shown, more) : shown;
}

/**
 * Adds files to a chat's next question. Picture files are attached as pictures.
 *
 * @returns whether any file was added
 */
export async function addFiles(unsent: UnsentInput, files: readonly vscode.Uri[]): Promise<boolean> {
  const pictures = files.filter(({ path }) => isPictureName(path));
  const others = files.filter(({ path }) => !isPictureName(path));
  let hasAddedPicture = false;
  for (const file of pictures) {
    const isAdded = await unsent.attachments.addFile(file);
    hasAddedPicture ||= isAdded;
    if (unsent.attachments.isFull && !isAdded) break;
  }
  const references = others.map((uri) => ({ kind: 'file', uri: uri.toString() }) as const);
  return (await addReferences(unsent, references)) || hasAddedPicture;
}

/** Converts a range to its first and last line, from 1. A last line without selected characters is not included. */
export function toLineNumbers({ start, end }: vscode.Range): [number, number] {
  const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  return [start.line + 1, last];
}

/** Creates a reference for each selection of an editor that is not empty. */
export function readSelections({ document, selections }: vscode.TextEditor): readonly NewReference[] {
  return selections
    .filter(({ isEmpty }) => !isEmpty)
    .map((selection) => ({
      kind: 'file',
      uri: document.uri.toString(),
      lines: toLineNumbers(selection),
    }));
}
