import type { AskedFile } from '../../../conversations/conversation/askedFile.ts';
import { nameOfMissing, wasThere } from '../../../conversations/conversation/history.ts';
import type { MissingPart } from '../../../conversations/conversation/record.ts';
import type { AskedFileView, ContextView } from '../../../protocol/chatContext.ts';
import type { MissingView } from '../../../protocol/chatTurn.ts';
import { visibleText } from '../../kit/display/plainText.ts';
import type { ContextEntry } from './chatContext.ts';
import { type ContextReference, kindOfGone, referenceName } from './contextReference.ts';
import { sizeOf } from './textSize.ts';

const maxNameLength = 500;

/** What goes along with the next question, for the page. */
export function contextViews(entries: readonly ContextEntry[]): readonly ContextView[] {
  return entries.map(({ id, reference, found }) => ({
    ...{ id, name: shownName(referenceName(reference)), icon: iconOf(reference) },
    ...(found && 'size' in found && { size: found.size }),
    ...(found && 'size' in found && found.isChanged && { isChanged: true }),
    ...(reference.kind === 'text' && reference.text !== '' && { isText: true }),
    ...(found && 'problem' in found && { problem: found.problem }),
  }));
}

/** What went along with a question, for the page. */
export function askedFileViews(files: readonly AskedFile[] = []): readonly AskedFileView[] {
  return files.map(({ name, text }) => ({
    name: shownName(name),
    size: sizeOf(text),
  }));
}

/** An attachment whose bytes are not there, for the page. */
export function missingView(part: MissingPart): MissingView {
  return { name: missingName(part), why: wasThere(part) ? 'gone' : 'notImported' };
}

/** What people call an attachment whose bytes are not there. */
export function missingName(part: MissingPart): string {
  const name = nameOfMissing(part);
  return name === undefined ? kindOfGone(part.type) : shownName(name);
}

function shownName(name: string): string {
  return visibleText(name).replace(/\s+/g, ' ').slice(0, maxNameLength);
}

function iconOf(reference: ContextReference): string {
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
    case 'gone':
      return 'error';
  }
}
