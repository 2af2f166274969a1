/** What a click puts into the clipboard. */
import * as z from 'zod';
import { id, text } from './pageMessage.ts';

export const copyMessages = [
  z.strictObject({ type: z.literal('copy-reply'), turnId: id, choice: z.int().min(0).max(127) }),
  z.strictObject({ type: z.literal('copy-code'), text }),
  z.strictObject({ type: z.literal('copy-request-id'), turnId: id }),
  z.strictObject({ type: z.literal('copy-gateway-request-id'), turnId: id }),
] as const;

export type CopyMessage = Readonly<z.infer<(typeof copyMessages)[number]>>;
