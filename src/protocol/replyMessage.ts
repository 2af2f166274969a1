/** What a page asks the host to do with words of a reply, by a click of the user. */
import * as z from 'zod';
import { id, text } from './pageMessage.ts';

/** The language of a block of code, as the reply names it. */
const language = z.string().max(40);

/** A file with lines, as the reply names it. The host reads it, and looks for it in the workspace only. */
const reference = z.string().max(500);

export const replyMessages = [
  z.strictObject({ type: z.literal('insert-code'), text }),
  z.strictObject({ type: z.literal('new-file'), text, language }),
  z.strictObject({ type: z.literal('put-into-terminal'), text, language }),
  z.strictObject({ type: z.literal('open-file'), reference }),
] as const;

/** Proposes code of a reply for a file. */
export const applyCode = z.strictObject({
  type: z.literal('apply-code'),
  turnId: id,
  text,
  /** What stands after the fence of the code. */
  info: z.string().max(200),
});

/** Asks which of these files exist. */
export const findFiles = z.strictObject({
  type: z.literal('find-files'),
  references: z.array(reference).max(50),
});

/** Whether long lines of code wrap, in all chats. */
export const wrapCode = z.strictObject({ type: z.literal('wrap-code'), on: z.boolean() });

export type ApplyCode = Readonly<z.infer<typeof applyCode>>;

export type ReplyMessage = Readonly<z.infer<(typeof replyMessages)[number]>>;
