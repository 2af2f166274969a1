/** The message box and the queued question. */
import * as z from 'zod';
import { id, picturePiece, text } from './pageMessage.ts';

/** The longest draft that is stored, in UTF-16 units. */
const maxDraftLength = 4 * 1024 * 1024;

/** The text in the message box. It may be longer than a question that can be sent. */
export const draftText = z.string().max(maxDraftLength);

const draftPosition = z.int().min(0).max(maxDraftLength);

/** The question that is sent after the current reply. */
export interface QueuedQuestion {
  readonly text: string;
  /** The number of its pictures. */
  readonly pictures: number;
  /** The number of its pieces of code. */
  readonly files?: number;
}

export const messageBoxMessages = [
  z.strictObject({ type: z.literal('send'), text }),
  /** Stops all replies, or the reply of one turn. */
  z.strictObject({ type: z.literal('stop'), turnId: id.optional() }),
  /** The text in the message box changed. */
  z.strictObject({ type: z.literal('draft'), text }),
  /** Replaces the draft from `start` to `end` with `text`. */
  z.strictObject({
    type: z.literal('change-draft'),
    /** Whether the change applies to an empty text instead of the last text from the page. */
    isNew: z.boolean(),
    start: draftPosition,
    end: draftPosition,
    text,
    /** Whether further parts of the same change follow. */
    hasMore: z.boolean(),
  }),
  /** Puts the queued question back into the message box. */
  z.strictObject({ type: z.literal('edit-queued') }),
  z.strictObject({ type: z.literal('remove-queued') }),
  z.strictObject({ type: z.literal('attach-piece'), ...picturePiece }),
  z.strictObject({ type: z.literal('detach'), index: z.int().min(0).max(63) }),
] as const;

export type MessageBoxMessage = Readonly<z.infer<(typeof messageBoxMessages)[number]>>;
