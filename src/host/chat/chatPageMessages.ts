import * as z from 'zod';
import type { FromChatPage } from '../../protocol/chatPage.ts';
import { replyAction } from './replyActions.ts';

/** Longest text a page may send, in UTF-16 units; the page refuses longer ones with a message of its own. */
const longestText = 1024 * 1024;

const text = z.string().max(longestText);
const id = z.string().max(64);
const channel = z.string();
const choice = z.int().min(0).max(127);

const parameterValues = z
  .record(z.string(), z.unknown())
  .refine((values) => JSON.stringify(values).length <= longestText);

const fromChatPage = z.discriminatedUnion('type', [
  z.strictObject({ channel, type: z.literal('ready') }),
  z.strictObject({ channel, type: z.literal('send'), text }),
  z.strictObject({ channel, type: z.literal('stop') }),
  z.strictObject({ channel, type: z.literal('copy-reply'), turnId: id, choice }),
  z.strictObject({ channel, type: z.literal('copy-code'), text }),
  z.strictObject({ channel, type: z.literal('copy-request-id'), turnId: id }),
  z.strictObject({ channel, type: z.literal('copy-gateway-request-id'), turnId: id }),
  z.strictObject({ channel, type: z.literal('attach-files') }),
  z.strictObject({
    channel,
    type: z.literal('attach-piece'),
    id,
    data: z.base64().max(longestText),
    last: z.boolean(),
  }),
  z.strictObject({ channel, type: z.literal('detach'), index: z.int().min(0).max(63) }),
  z.strictObject({ channel, type: z.literal('open-parameters') }),
  z.strictObject({ channel, type: z.literal('set-parameters'), values: parameterValues }),
  z.strictObject({ channel, type: z.literal('preview-request'), text }),
  z.strictObject({ channel, type: z.literal('copy-request'), text }),
  z.strictObject({ channel, type: z.literal('open-link'), url: z.string().max(8192) }),
  z.strictObject({
    channel,
    type: z.literal('action'),
    turnId: id.optional(),
    action: replyAction,
  }),
]);

/** Checks what a page sent. A message of another page, an unknown kind or a wrong shape is none (T13). */
export function readPageMessage(message: unknown, ownChannel: string): FromChatPage | undefined {
  const checked = fromChatPage.safeParse(message);
  if (!checked.success || checked.data.channel !== ownChannel) return undefined;
  return checked.data as FromChatPage;
}
