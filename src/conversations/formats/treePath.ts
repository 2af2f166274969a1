import type { MessageRecord } from '../record.ts';

/** The messages from the root to one of them. Empty where there is no such message. */
export function pathTo(
  messages: readonly MessageRecord[],
  head: string | undefined,
): readonly MessageRecord[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const path: MessageRecord[] = [];
  const seen = new Set<string>();
  let message = head === undefined ? undefined : byId.get(head);
  while (message && !seen.has(message.id)) {
    seen.add(message.id);
    path.push(message);
    message = message.parent === undefined ? undefined : byId.get(message.parent);
  }
  return path.reverse();
}
