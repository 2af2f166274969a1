/** What the messages of several pages are made of. A page takes only types from here; the host checks by the schemas. */
import * as z from 'zod';
import { jsonText } from '../base/json.ts';

/** Longest text a page may send, in UTF-16 units; the page refuses longer ones with a message of its own. */
const maxTextLength = 1024 * 1024;

/** The first message of a page, and again whenever it missed one: it wants everything. */
export const ready = z.strictObject({ type: z.literal('ready') });

export const text = z.string().max(maxTextLength);

/** The name of something that the host or the page counts by. */
export const id = z.string().max(64);

export const parameterValues = z
  .record(z.string(), z.unknown())
  .refine((values) => (jsonText(values)?.length ?? Number.POSITIVE_INFINITY) <= maxTextLength);

/** Fields of a request by name; only what was set. */
export type ParameterValues = Readonly<z.infer<typeof parameterValues>>;

/** A piece of a pasted or dropped picture, as base64 of at most 512 KiB; `id` is the page's own. */
export const picturePiece = { id, data: z.base64().max(maxTextLength), last: z.boolean() };

/** What a page may offer to do about something that did not end well. */
export const replyAction = z.enum([
  'again',
  'continue',
  'connect',
  'use-demo-gateway',
  'set-credential',
  'change-address',
  'choose-model',
  'choose-format',
  'refresh-models',
  'new-chat',
  'move-chat',
  'open-timeouts',
  'open-proxy',
  'show-log',
]);

export type ReplyAction = z.infer<typeof replyAction>;
