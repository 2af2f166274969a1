import { randomUUID } from 'node:crypto';
import type { WriteContext } from '../../storage/database.ts';
import type { ConversationRecord, ConversationWithMessages } from '../conversation/conversationRecord.ts';
import { readPathKeys } from './branches.ts';
import { insertConversation, readConversation } from './conversationRows.ts';
import { readMessageRows } from './messageRows.ts';
import { storeBeginning } from './newMessages.ts';

/** Reads a conversation with all its messages that are not deleted. */
export function readConversationWithMessages(
  context: WriteContext,
  id: string,
): ConversationWithMessages | undefined {
  const conversation = readConversation(context, id);
  if (!conversation) return undefined;
  const keys = context.database.values(
    `SELECT messages.key FROM messages JOIN conversations ON conversations.key = messages.conversation
     WHERE conversations.id = ? AND messages.deletedAt IS NULL`,
    id,
  );
  return {
    conversation,
    messages: readMessageRows(
      context,
      keys.map(([key]) => Number(key)),
      { withExtra: true },
    ),
  };
}

/**
 * Runs within a transaction. Copies a message and the messages above it into a new conversation.
 *
 * @returns undefined while one of the messages arrives
 */
export function copyPath(
  context: WriteContext,
  original: ConversationRecord,
  message: number,
): { readonly key: number; readonly id: string } | undefined {
  const { database } = context;
  const path = readPathKeys(context, message);
  const keys = JSON.stringify(path);
  const arrivingSql = `SELECT 1 FROM messages WHERE state = 'arriving' AND key IN (SELECT value FROM json_each(?))`;
  if (database.get(arrivingSql, keys)) return undefined;
  const now = context.now();
  const fork = {
    ...original,
    id: randomUUID(),
    createdAt: now,
    changedAt: now,
    forkOf: original.id,
    // These values belong only to the original.
    pinnedAt: undefined,
    archivedAt: undefined,
    deletedAt: undefined,
    compared: undefined,
    origin: undefined,
    extra: undefined,
  };
  const key = insertConversation(context, fork);
  const firstKey = copyMessages(context, keys, key);
  database.run('UPDATE conversations SET head = ? WHERE key = ?', firstKey + path.length - 1, key);
  const questionSql = `SELECT min(key) AS key FROM messages WHERE role = 'user' AND key IN (SELECT value FROM json_each(?))`;
  const firstQuestionKey = database.get<{ key: number | null }>(questionSql, keys)?.key;
  storeBeginning(context, key, readMessageRows(context, [firstQuestionKey ?? 0]));
  return { key, id: fork.id };
}

/**
 * Copies the messages of a path in SQL, because reading thousands of messages would block the window for too long.
 *
 * @param path the keys of its messages, as JSON
 * @returns the key of the first copy; the others follow it
 */
function copyMessages({ database }: WriteContext, path: string, conversation: number): number {
  const nextSql = `SELECT seq + 1 AS first FROM sqlite_sequence WHERE name = 'messages'`;
  const firstKey = database.get<{ first: number }>(nextSql)?.first ?? 1;
  database.run(
    `INSERT INTO messages (key, conversation, id, parent, role, state, createdAt, model, editOf)
     SELECT ?1 + path.key, ?2, messages.id, iif(path.key = 0, NULL, ?1 + path.key - 1), role, state, createdAt, model, editOf
     FROM json_each(?3) AS path JOIN messages ON messages.key = path.value`,
    firstKey,
    conversation,
    path,
  );
  database.run(
    `INSERT INTO contents (message, choices, request, extra) SELECT ?1 + path.key, choices, request, extra
     FROM json_each(?2) AS path JOIN contents ON contents.message = path.value`,
    firstKey,
    path,
  );
  database.run(
    `INSERT INTO attachmentUses (hash, message) SELECT hash, ?1 + path.key
     FROM json_each(?2) AS path JOIN attachmentUses ON attachmentUses.message = path.value`,
    firstKey,
    path,
  );
  return firstKey;
}
