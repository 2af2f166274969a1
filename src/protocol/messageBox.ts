/** What is asked next: the message box, and the question that waits. */
import * as z from 'zod';
import { id, picturePiece, text } from './pageMessage.ts';

/** The longest draft that is kept, in UTF-16 units. */
export const maxDraftLength = 4 * 1024 * 1024;

/** What is in the message box, sent or not. */
export const draftText = z.string().max(maxDraftLength);

const place = z.int().min(0).max(maxDraftLength);

/** The question that is sent once the reply before it is complete. */
export interface QueuedQuestion {
  readonly text: string;
  /** How many pictures go with it. */
  readonly pictures: number;
  /** How many pieces of code go with it. */
  readonly files?: number;
}

export const messageBoxMessages = [
  z.strictObject({ type: z.literal('send'), text }),
  /** Stops all replies, or that of one turn. */
  z.strictObject({ type: z.literal('stop'), turnId: id.optional() }),
  /** The text in the message box changed. */
  z.strictObject({ type: z.literal('draft'), text }),
  /** From `start` to `end`, the text in the message box is another one now, of which `more` may follow. */
  z.strictObject({
    type: z.literal('change-draft'),
    /** It changes an empty text, else the one that the page told last. */
    isNew: z.boolean(),
    start: place,
    end: place,
    text,
    more: z.boolean(),
  }),
  /** Puts the queued question back into the message box. */
  z.strictObject({ type: z.literal('edit-queued') }),
  z.strictObject({ type: z.literal('remove-queued') }),
  z.strictObject({ type: z.literal('attach-piece'), ...picturePiece }),
  z.strictObject({ type: z.literal('detach'), index: z.int().min(0).max(63) }),
] as const;

export type MessageBoxMessage = Readonly<z.infer<(typeof messageBoxMessages)[number]>>;
