import type { AttachedFile } from '../../../conversations/conversation/attachedFile.ts';
import type { MissingPart } from '../../../conversations/conversation/conversationRecord.ts';
import { readMissingName, wasStored } from '../../../conversations/conversation/history.ts';
import type { ContextView, SentFileView } from '../../../protocol/chatContext.ts';
import type { MissingView } from '../../../protocol/chatTurn.ts';
import { removeHidden } from '../../kit/display/plainText.ts';
import { type ContextEntry, measureContextText } from './chatContext.ts';
import { type ContextReference, formatReferenceName, nameAttachmentKind } from './contextReference.ts';

const maxNameLength = 500;

/** Converts the context items of the next question into views for the page. */
export function createContextViews(entries: readonly ContextEntry[]): readonly ContextView[] {
  return entries.map(({ id, reference, check }) => ({
    id,
    name: formatName(formatReferenceName(reference)),
    icon: chooseIcon(reference),
    ...(check && 'size' in check && { size: check.size }),
    ...(check && 'size' in check && check.isChanged && { isChanged: true }),
    ...(reference.kind === 'text' && reference.text !== '' && { isText: true }),
    ...(check && 'problem' in check && { problem: check.problem }),
  }));
}

/** Converts the files that were sent with a question into views for the page. */
export function createSentFileViews(files: readonly AttachedFile[] = []): readonly SentFileView[] {
  return files.map(({ name, text }) => ({ name: formatName(name), size: measureContextText(text) }));
}

/** Converts a missing attachment into a view for the page. */
export function createMissingView(part: MissingPart): MissingView {
  return { name: formatMissingName(part), reason: wasStored(part) ? 'notOnDisk' : 'notImported' };
}

/** Formats the display name of a missing attachment. */
export function formatMissingName(part: MissingPart): string {
  const name = readMissingName(part);
  return name === undefined ? nameAttachmentKind(part.type) : formatName(name);
}

function formatName(name: string): string {
  return removeHidden(name).replace(/\s+/g, ' ').slice(0, maxNameLength);
}

function chooseIcon(reference: ContextReference): string {
  switch (reference.kind) {
    case 'file':
      if (reference.symbol !== undefined) return 'symbol-method';
      return reference.lines ? 'selection' : 'file';
    case 'problems':
      return 'list-flat';
    case 'changes':
      return 'diff';
    case 'text':
      return 'file-text';
    case 'missing':
      return 'error';
  }
}
