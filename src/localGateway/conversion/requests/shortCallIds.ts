import { shortened } from '../namespaces.ts';
import type { AskedMessage } from './askedRequest.ts';

/** The conversation with ids of calls that are no longer than `most`. Different ids stay different. */
export function withShortCallIds(
  messages: readonly AskedMessage[],
  most: number | undefined,
): readonly AskedMessage[] {
  if (most === undefined) return messages;
  return messages.map((message) => {
    const parts = message.parts.map((part) =>
      (part.type === 'toolCall' || part.type === 'toolResult') && part.id.length > most
        ? { ...part, id: shortened(part.id, part.id, most) }
        : part,
    );
    return { ...message, parts };
  });
}
