/** Requests of the chat page about its turns. */
import * as z from 'zod';
import { id, text } from './pageMessage.ts';

/** The language of a code block, as the reply names it. */
const language = z.string().max(40);

/** A file with lines, as the reply names it. The host searches and reads it only in the workspace. */
const reference = z.string().max(500);

/** Actions on the text of a reply. */
export const replyMessages = [
  z.strictObject({ type: z.literal('insert-code'), text }),
  z.strictObject({ type: z.literal('new-file'), text, language }),
  z.strictObject({ type: z.literal('put-into-terminal'), text, language }),
  z.strictObject({ type: z.literal('open-file'), reference }),
  z.strictObject({ type: z.literal('open-link'), url: z.string().max(8192) }),
] as const;

/** Proposes code of a reply for a file. */
export const applyCode = z.strictObject({
  type: z.literal('apply-code'),
  turnId: id,
  text,
  /** The text after the opening fence of the code. */
  info: z.string().max(200),
});

/** Requests the existing files among these. */
export const findFilesMessage = z.strictObject({
  type: z.literal('find-files'),
  references: z.array(reference).max(50),
});

/** Sets whether long lines of code wrap, in all chats. */
export const wrapCode = z.strictObject({ type: z.literal('wrap-code'), on: z.boolean() });

export type ApplyCode = Readonly<z.infer<typeof applyCode>>;

export type ReplyMessage = Readonly<z.infer<(typeof replyMessages)[number]>>;

/** Copies to the clipboard. */
export const copyMessages = [
  z.strictObject({ type: z.literal('copy-reply'), turnId: id, choice: z.int().min(0).max(127) }),
  z.strictObject({ type: z.literal('copy-code'), text }),
  z.strictObject({ type: z.literal('copy-request-id'), turnId: id }),
  z.strictObject({ type: z.literal('copy-gateway-request-id'), turnId: id }),
] as const;

export type CopyMessage = Readonly<z.infer<(typeof copyMessages)[number]>>;

/** Edits, deletes, shows and copies branches of a chat. */
export const branchMessages = [
  /** Sends the question of a turn with a changed text and with further pasted texts. */
  z.strictObject({
    type: z.literal('edit-question'),
    turnId: id,
    text,
    pasted: z
      .array(z.strictObject({ name: z.string().max(1024), text }))
      .max(64)
      .optional(),
  }),
  /** Stores the user's own text as an alternative to the reply of a turn. */
  z.strictObject({ type: z.literal('edit-answer'), turnId: id, text }),
  /** Shows the branch of a question or reply. */
  z.strictObject({ type: z.literal('show-branch'), messageId: id }),
  /** Deletes the question or the reply of a turn, and all later messages. */
  z.strictObject({ type: z.literal('delete-message'), turnId: id, of: z.enum(['question', 'answer']) }),
  z.strictObject({ type: z.literal('undo-delete') }),
  z.strictObject({ type: z.literal('dismiss-deleted') }),
  /** Opens a new chat with the conversation up to a turn. */
  z.strictObject({ type: z.literal('fork'), turnId: id }),
] as const;

export type BranchMessage = Readonly<z.infer<(typeof branchMessages)[number]>>;
