import type { MessageRecord } from '../record.ts';

/** In the order given, but that a message waits for its parent. Of those in a circle the first does not wait. */
export function parentsFirst(messages: readonly MessageRecord[]): readonly MessageRecord[] {
  const ids = new Set(messages.map(({ id }) => id));
  const placed = new Set<string>();
  const waiting = new Map<string, MessageRecord[]>();
  const ordered: MessageRecord[] = [];
  const place = (first: MessageRecord) => {
    const open = [first];
    for (let message = open.pop(); message; message = open.pop()) {
      if (placed.has(message.id)) continue;
      placed.add(message.id);
      ordered.push(message);
      for (const child of (waiting.get(message.id) ?? []).reverse()) open.push(child);
      waiting.delete(message.id);
    }
  };
  for (const message of messages) {
    const { parent } = message;
    if (parent === undefined || !ids.has(parent) || placed.has(parent)) place(message);
    else {
      const others = waiting.get(parent);
      if (others) others.push(message);
      else waiting.set(parent, [message]);
    }
  }
  for (const message of messages) place(message);
  return ordered;
}
