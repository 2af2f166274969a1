import type * as z from 'zod';
import { isObject } from '../../../base/json.ts';

/**
 * Checks a message of a page (T13).
 *
 * @param channel the random id on every message of this page
 * @returns undefined for a message of another page, or if it does not match the schema
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
