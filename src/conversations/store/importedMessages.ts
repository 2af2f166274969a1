import { createHash } from 'node:crypto';
import type { MessageRecord, WholeConversation } from '../conversation/record.ts';
import { parsed } from './conversationRows.ts';
import type { StoreContext } from './storeContext.ts';

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

interface Row {
  readonly id: string;
  readonly choices: string | null;
}

/**
 * The messages of an import as they are added to a conversation that is there. What says something else than the
 * message of its id there gets an id of its own, the same each time, so that both are kept, beside each other.
 *
 * @returns undefined where none of those that are there says the same: it is another conversation by the same id
 */
export function besideThose(
  { database }: StoreContext,
  conversation: number,
  messages: readonly MessageRecord[],
): readonly MessageRecord[] | undefined {
  const rows = database.all<Row>(
    `SELECT messages.id, choices FROM messages JOIN contents ON contents.message = messages.key
     WHERE conversation = ? AND state <> 'arriving' AND messages.id IN (SELECT value FROM json_each(?))`,
    ...[conversation, JSON.stringify(messages.map(({ id }) => id))],
  );
  const known = new Map(rows.map(({ id, choices }) => [id, textOf(parsed(choices ?? '[]'))]));
  const ownIds = new Map<string, string>();
  let areSome = false;
  for (const { id, choices } of messages) {
    const [there = '', text] = [known.get(id), textOf(choices)];
    if (there === '' || text === '') continue;
    areSome ||= there.startsWith(text) || text.startsWith(there);
    // An earlier export has the beginning of what has arrived since.
    if (!there.startsWith(text)) ownIds.set(id, digestOf([id, choices]));
  }
  if (ownIds.size === 0) return messages;
  return areSome ? messages.map((message) => renamed(message, ownIds)) : undefined;
}

/** A conversation under an id that its messages give it, the same each time. */
export function underOwnId({ conversation, messages }: WholeConversation): WholeConversation {
  const { origin: _, ...named } = conversation;
  const id = digestOf([conversation.id, messages.map((message) => [message.id, message.choices])]);
  return { conversation: { ...named, id }, messages };
}

function renamed(message: MessageRecord, ownIds: ReadonlyMap<string, string>): MessageRecord {
  const { id, parent, lastChild } = message;
  return {
    ...{ ...message, id: ownIds.get(id) ?? id },
    ...(parent !== undefined && { parent: ownIds.get(parent) ?? parent }),
    ...(lastChild !== undefined && { lastChild: ownIds.get(lastChild) ?? lastChild }),
  };
}

function textOf(choices: MessageRecord['choices']): string {
  return choices
    .flat()
    .flatMap((part) => (part.type === 'text' ? part.text : []))
    .join('\n');
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
}
