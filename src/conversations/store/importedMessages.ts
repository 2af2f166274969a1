import { createHash } from 'node:crypto';
import { parseStored, type WriteContext } from '../../storage/database.ts';
import type { ConversationWithMessages, MessageRecord } from '../conversation/conversationRecord.ts';

/**
 * Sorts messages so that each follows its parent, and otherwise keeps their order. A cycle is broken at its
 * first message.
 */
export function sortParentsFirst(messages: readonly MessageRecord[]): readonly MessageRecord[] {
  const ids = new Set(messages.map(({ id }) => id));
  const placed = new Set<string>();
  const waiting = new Map<string, MessageRecord[]>();
  const ordered: MessageRecord[] = [];
  const addWithChildren = (first: MessageRecord) => {
    const stack = [first];
    for (let message = stack.pop(); message; message = stack.pop()) {
      if (placed.has(message.id)) continue;
      placed.add(message.id);
      ordered.push(message);
      for (const child of (waiting.get(message.id) ?? []).reverse()) stack.push(child);
      waiting.delete(message.id);
    }
  };
  for (const message of messages) {
    const { parent } = message;
    if (parent === undefined || !ids.has(parent) || placed.has(parent)) addWithChildren(message);
    else {
      const siblings = waiting.get(parent);
      if (siblings) siblings.push(message);
      else waiting.set(parent, [message]);
    }
  }
  for (const message of messages) addWithChildren(message);
  return ordered;
}

interface ContentRow {
  readonly id: string;
  readonly choices: string | null;
}

/**
 * Prepares the messages of an import for an existing conversation. A message whose content differs from the
 * existing message with its id gets a new, deterministic id, so that both are stored as siblings.
 *
 * @returns undefined if no existing message has the same content: then it is another conversation with the same
 *   id
 */
export function resolveIdConflicts(
  { database }: WriteContext,
  conversation: number,
  messages: readonly MessageRecord[],
): readonly MessageRecord[] | undefined {
  const rows = database.all<ContentRow>(
    `SELECT messages.id, choices FROM messages JOIN contents ON contents.message = messages.key
     WHERE conversation = ? AND state <> 'arriving' AND messages.id IN (SELECT value FROM json_each(?))`,
    ...[conversation, JSON.stringify(messages.map(({ id }) => id))],
  );
  const existingTexts = new Map(rows.map(({ id, choices }) => [id, joinTexts(parseStored(choices ?? '[]'))]));
  const newIds = new Map<string, string>();
  let hasCommonMessage = false;
  for (const { id, choices } of messages) {
    const existingText = existingTexts.get(id) ?? '';
    const text = joinTexts(choices);
    if (existingText === '' || text === '') continue;
    hasCommonMessage ||= existingText.startsWith(text) || text.startsWith(existingText);
    // An earlier export may contain the beginning of a reply that has continued since.
    if (!existingText.startsWith(text)) newIds.set(id, hashJson([id, choices]));
  }
  if (newIds.size === 0) return messages;
  return hasCommonMessage ? messages.map((message) => replaceIds(message, newIds)) : undefined;
}

/** Replaces the id and the origin of a conversation by an id that is derived from its messages. */
export function withDerivedId({
  conversation,
  messages,
}: ConversationWithMessages): ConversationWithMessages {
  const { origin: _, ...withoutOrigin } = conversation;
  const id = hashJson([conversation.id, messages.map((message) => [message.id, message.choices])]);
  return { conversation: { ...withoutOrigin, id }, messages };
}

function replaceIds(message: MessageRecord, newIds: ReadonlyMap<string, string>): MessageRecord {
  const { id, parent, lastChild } = message;
  return {
    ...{ ...message, id: newIds.get(id) ?? id },
    ...(parent !== undefined && { parent: newIds.get(parent) ?? parent }),
    ...(lastChild !== undefined && { lastChild: newIds.get(lastChild) ?? lastChild }),
  };
}

function joinTexts(choices: MessageRecord['choices']): string {
  return choices
    .flat()
    .flatMap((part) => (part.type === 'text' ? part.text : []))
    .join('\n');
}

function hashJson(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
}
