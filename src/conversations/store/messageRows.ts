import type { JsonObject } from '../../base/json.ts';
import { parseStored, type WriteContext } from '../../storage/database.ts';
import type { ChatRequestRecord, MessageRecord, PartRecord } from '../conversation/conversationRecord.ts';
import { jsonOrNull, optionalMember, orNull, requireRow, timeOrNull } from './conversationRows.ts';
import { readArrivedReplies } from './replyChunks.ts';
import { createPartRecords } from './replyParts.ts';

/** Rows of the tables `messages` and `contents`, with the ids of the parent and of the child last shown. */
interface MessageRow {
  readonly key: number;
  readonly id: string;
  readonly parentId: string | null;
  readonly role: MessageRecord['role'];
  readonly createdAt: number;
  readonly state: MessageRecord['state'];
  readonly choices: string | null;
  readonly request: string | null;
  readonly editOf: string | null;
  readonly lastChildId: string | null;
  readonly extra: string | null;
}

/** The columns of a new message. Keys replace ids. */
interface NewMessage extends Omit<MessageRecord, 'parent' | 'lastChild'> {
  readonly conversation: number;
  readonly parent: number | undefined;
  readonly owner?: string;
}

interface MessagePosition {
  readonly key: number;
  readonly parent: number | null;
}

const selectRow = `
  SELECT messages.key, messages.id, parent.id AS parentId, messages.role, messages.createdAt, messages.state, choices, request,
    messages.editOf, child.id AS lastChildId, iif(?, extra, NULL) AS extra FROM messages
  LEFT JOIN contents ON contents.message = messages.key
  LEFT JOIN messages AS parent ON parent.key = messages.parent
  LEFT JOIN messages AS child ON child.key = messages.lastChild AND child.deletedAt IS NULL`;

/** Finds the key of a message that is not deleted. */
export function findMessageKey(
  { database }: WriteContext,
  conversation: number,
  id: string,
): number | undefined {
  const sql = 'SELECT key FROM messages WHERE conversation = ? AND id = ? AND deletedAt IS NULL';
  return database.get<{ key: number }>(sql, conversation, id)?.key;
}

/** Finds the position of a message, even if it is deleted. */
export function findMessagePosition(
  { database }: WriteContext,
  conversation: number,
  id: string | undefined,
): MessagePosition | undefined {
  const sql = 'SELECT key, parent FROM messages WHERE conversation = ? AND id = ?';
  return database.get<MessagePosition>(sql, conversation, id ?? '');
}

/**
 * Reads messages with their texts, in insertion order. An arriving message has the content written so far,
 * without pictures.
 *
 * @param withExtra whether to read `extra` too, which may be far longer than the texts, and which only exports
 *   need
 */
export function readMessageRows(
  context: WriteContext,
  keys: readonly number[],
  { withExtra = false } = {},
): readonly MessageRecord[] {
  const sql = `${selectRow} WHERE messages.key IN (SELECT value FROM json_each(?)) ORDER BY messages.key`;
  return context.database
    .all<MessageRow>(sql, withExtra ? 1 : 0, JSON.stringify(keys))
    .map((row) => createRecord(row, readChoices(context, row)));
}

/** Runs within a transaction. @returns the key of the new row */
export function insertMessage(context: WriteContext, message: NewMessage): number {
  const { database } = context;
  const { conversation, id, parent, role, state, createdAt, request, editOf, owner, extra } = message;
  const { key } = requireRow(
    database.get<{ key: number }>(
      `INSERT INTO messages (conversation, id, parent, role, state, createdAt, model, editOf, owner)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING key`,
      conversation,
      id,
      orNull(parent),
      role,
      state,
      timeOrNull(createdAt) ?? context.now(),
      orNull(request?.model),
      orNull(editOf),
      orNull(owner),
    ),
  );
  database.run(
    'INSERT INTO contents (message, choices, request, extra) VALUES (?, ?, ?, ?)',
    key,
    JSON.stringify(message.choices),
    jsonOrNull(request),
    jsonOrNull(extra),
  );
  insertAttachmentUses(context, key, message.choices);
  return key;
}

/** Runs within a transaction. Without a request, the stored one remains. */
export function storeContent(
  context: WriteContext,
  key: number,
  choices: MessageRecord['choices'],
  request?: ChatRequestRecord,
): void {
  const { database } = context;
  database.run(
    `INSERT INTO contents (message, choices, request) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET choices = excluded.choices, request = coalesce(excluded.request, request)`,
    key,
    JSON.stringify(choices),
    jsonOrNull(request),
  );
  insertAttachmentUses(context, key, choices);
}

function insertAttachmentUses(
  { database }: WriteContext,
  key: number,
  choices: MessageRecord['choices'],
): void {
  for (const part of choices.flat()) {
    if (!('hash' in part)) continue;
    database.run('INSERT OR IGNORE INTO attachmentUses (hash, message) VALUES (?, ?)', part.hash, key);
  }
}

function readChoices(context: WriteContext, { key, state, choices }: MessageRow): MessageRecord['choices'] {
  if (state === 'arriving') return readArrivedReplies(context, key).map((reply) => createPartRecords(reply));
  return choices === null ? [] : parseStored<readonly (readonly PartRecord[])[]>(choices);
}

function createRecord(row: MessageRow, choices: MessageRecord['choices']): MessageRecord {
  const { id, role, createdAt, state, request, extra } = row;
  return {
    id,
    ...optionalMember('parent', row.parentId),
    role,
    createdAt,
    state,
    choices,
    ...(request !== null && { request: parseStored<ChatRequestRecord>(request) }),
    ...optionalMember('editOf', row.editOf),
    ...optionalMember('lastChild', row.lastChildId),
    ...(extra !== null && { extra: parseStored<JsonObject>(extra) }),
  };
}
