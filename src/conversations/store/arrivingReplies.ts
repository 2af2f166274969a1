import { parseStored, type WriteContext } from '../../storage/database.ts';
import type { ChatEvent } from '../../wire/chatEvent.ts';
import type { ChatRequestRecord, MessageRecord } from '../conversation/conversationRecord.ts';
import type { Attachments } from './attachments.ts';
import { storeContent } from './messageRows.ts';
import { insertChunk, readArrivedReplies, readLastChunkKey } from './replyChunks.ts';
import { storeReplies } from './replyParts.ts';
import { storeUsage } from './usageLedger.ts';

export interface FinishedReply {
  /** All received content, including the part that was not appended before. */
  readonly choices: MessageRecord['choices'];
  readonly request: ChatRequestRecord;
  /** Whether there is proof that the gateway produced nothing, so that no usage is counted. */
  readonly isUnbilled?: boolean;
}

/** A reply that the store lists as arriving. */
export interface ArrivingReply {
  readonly key: number;
  readonly conversation: number;
  /** The window that receives it. */
  readonly owner: string;
}

/**
 * Runs within a transaction. Does not read earlier content, so that the cost does not grow with the reply.
 *
 * @returns whether this window receives the message
 */
export function appendEvents(
  context: WriteContext,
  conversation: number,
  id: string,
  events: readonly ChatEvent[],
): boolean {
  const row = findOwnRow(context, conversation, id);
  if (!row) return false;
  // Another window marked this reply as stopped because it assumed that this window had ended.
  if (row.state === 'stopped') {
    context.database.run(`UPDATE messages SET state = 'arriving' WHERE key = ?`, row.key);
  }
  insertChunk(context, row.key, events);
  return true;
}

/**
 * Runs within a transaction. Replaces the appended chunks by the whole content.
 *
 * @returns whether this window received the message
 */
export function storeFinish(
  context: WriteContext,
  conversation: number,
  id: string,
  { choices, request, isUnbilled = false }: FinishedReply,
): boolean {
  const { database } = context;
  const row = findOwnRow(context, conversation, id);
  if (!row) return false;
  const sql = `UPDATE messages SET state = 'done', owner = NULL, model = ? WHERE key = ?`;
  database.run(sql, request.model, row.key);
  database.run('DELETE FROM chunks WHERE message = ?', row.key);
  storeContent(context, row.key, choices, request);
  storeUsage(context, row.key, isUnbilled ? undefined : request);
  return true;
}

/** Reads the replies that arrive in other windows. */
export function readArrivingInOtherWindows({ database, window }: WriteContext): readonly ArrivingReply[] {
  return database.all(
    `SELECT key, conversation, coalesce(owner, '') AS owner FROM messages
     WHERE state = 'arriving' AND owner IS NOT ?`,
    window,
  );
}

/** Reads the stored content of an arriving reply, and stores its pictures as attachments. */
export async function readArrivedChoices(
  context: WriteContext,
  attachments: Attachments,
  message: number,
): Promise<MessageRecord['choices']> {
  return storeReplies(readArrivedReplies(context, message), attachments);
}

/**
 * Runs within a transaction. The chunks are not deleted, because a suspended window continues its reply when it
 * resumes.
 *
 * @param last the key of the last chunk in the choices; a newer chunk means that the window is alive
 * @returns whether the reply was still arriving in the window that has ended
 */
export function storeStopped(
  context: WriteContext,
  { key, owner }: ArrivingReply,
  choices: MessageRecord['choices'],
  last: number,
): boolean {
  if (readLastChunkKey(context, key) !== last) return false;
  const { database } = context;
  const stopped = database.run(
    `UPDATE messages SET state = 'stopped' WHERE key = ? AND state = 'arriving' AND coalesce(owner, '') = ?`,
    key,
    owner,
  );
  if (stopped === 0) return false;
  storeContent(context, key, choices);
  const sql = 'SELECT request FROM contents WHERE message = ?';
  const request = database.get<{ request: string | null }>(sql, key)?.request ?? null;
  if (request !== null) storeUsage(context, key, parseStored<ChatRequestRecord>(request));
  return true;
}

/** Finds a message that this window receives, or received before another window marked it as stopped. */
function findOwnRow(
  { database, window }: WriteContext,
  conversation: number,
  id: string,
): { readonly key: number; readonly state: MessageRecord['state'] } | undefined {
  return database.get(
    `SELECT key, state FROM messages
     WHERE conversation = ? AND id = ? AND state IN ('arriving', 'stopped') AND owner = ?`,
    conversation,
    id,
    window,
  );
}
