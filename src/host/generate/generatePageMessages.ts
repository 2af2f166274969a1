import * as z from 'zod';
import type { FromGeneratePage } from '../../protocol/generatePage.ts';
import { replyAction } from '../chat/replyActions.ts';

/** Longest text a page may send, in UTF-16 units. */
const longestText = 1024 * 1024;

const channel = z.string();
const frame = z.enum(['first', 'last']);
const values = z.record(z.string(), z.unknown()).refine((body) => JSON.stringify(body).length <= longestText);

const fromGeneratePage = z.discriminatedUnion('type', [
  z.strictObject({ channel, type: z.literal('ready') }),
  z.strictObject({ channel, type: z.literal('choose-model') }),
  z.strictObject({ channel, type: z.literal('choose-route') }),
  z.strictObject({ channel, type: z.literal('set-values'), values }),
  z.strictObject({ channel, type: z.literal('set-count'), count: z.int().min(1).max(8) }),
  z.strictObject({ channel, type: z.literal('attach-file'), frame }),
  z.strictObject({
    channel,
    type: z.literal('attach-piece'),
    frame,
    id: z.string().max(64),
    data: z.base64().max(longestText),
    last: z.boolean(),
  }),
  z.strictObject({ channel, type: z.literal('detach'), frame }),
  z.strictObject({ channel, type: z.literal('preview-request') }),
  z.strictObject({ channel, type: z.literal('copy-request') }),
  z.strictObject({ channel, type: z.literal('generate'), submissionToken: z.string().max(64) }),
  z.strictObject({ channel, type: z.literal('open-task'), key: z.string().max(64) }),
  z.strictObject({ channel, type: z.literal('action'), action: replyAction }),
]);

/** Checks what a page sent. A message of another page, an unknown kind or a wrong shape is none (T13). */
export function readGenerateMessage(message: unknown, ownChannel: string): FromGeneratePage | undefined {
  const checked = fromGeneratePage.safeParse(message);
  return checked.success && checked.data.channel === ownChannel ? checked.data : undefined;
}
