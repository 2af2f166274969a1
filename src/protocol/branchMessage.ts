/** What a user does with the tree of a chat: other branches of it, parts of it deleted, and copies of it. */
import * as z from 'zod';
import { id, text } from './pageMessage.ts';

export const branchMessages = [
  /** Asks the question of a turn in other words, with further texts that were pasted. */
  z.strictObject({
    type: z.literal('edit-question'),
    turnId: id,
    text,
    pasted: z
      .array(z.strictObject({ name: z.string().max(1024), text }))
      .max(64)
      .optional(),
  }),
  /** Keeps the user's own text beside the answer of a turn. */
  z.strictObject({ type: z.literal('edit-answer'), turnId: id, text }),
  /** Shows the branch of a question or answer. */
  z.strictObject({ type: z.literal('show-branch'), messageId: id }),
  /** Deletes the question or the answer of a turn, with all that follows it. */
  z.strictObject({ type: z.literal('delete-message'), turnId: id, of: z.enum(['question', 'answer']) }),
  z.strictObject({ type: z.literal('undo-delete') }),
  z.strictObject({ type: z.literal('dismiss-deleted') }),
  /** Opens a chat of its own with what was said up to a turn. */
  z.strictObject({ type: z.literal('fork'), turnId: id }),
] as const;

export type BranchMessage = Readonly<z.infer<(typeof branchMessages)[number]>>;
