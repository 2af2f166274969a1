import type * as z from 'zod';
import { isObject } from '../../base/json.ts';

/**
 * Checks what a page sent. Undefined for a message of another page, of an unknown kind or of a wrong schema (T13).
 *
 * @param channel the random word that is on every message of this page
 */
export function readPageMessage<Received>(
  schema: z.ZodType<Received>,
  received: unknown,
  channel: string,
): Received | undefined {
  if (!isObject(received) || received.channel !== channel) return undefined;
  const { channel: _, ...message } = received;
  return schema.safeParse(message).data;
}
