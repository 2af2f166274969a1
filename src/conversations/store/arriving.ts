import type { ChatEvent } from '../../wire/chatEvent.ts';
import type { MessageRecord, RequestRecord } from '../conversation/record.ts';
import type { Attachments } from './attachments.ts';
import { arrivedReplies, insertChunk, lastChunk } from './chunks.ts';
import { parsed } from './conversationRows.ts';
import { keptReplies } from './keptParts.ts';
import { storeContent } from './messageRows.ts';
import type { StoreContext } from './storeContext.ts';
import { storeUsage } from './usage.ts';

/** A finished answer. */
export interface Finish {
  /** All that arrived, also what was not appended before. */
  readonly choices: MessageRecord['choices'];
  readonly request: RequestRecord;
  /** Whether there is proof that the gateway made nothing, so that nothing is counted. */
  readonly madeNothing?: boolean;
}

/** An answer that still arrives, as far as anybody knows. */
export interface Arriving {
  readonly key: number;
  readonly conversation: number;
  /** The window that receives it. */
  readonly owner: string;
}

/**
 * Runs within a transaction. What it costs does not depend on what arrived before.
 *
 * @returns whether this window receives the message
 */
export function appendEvents(
  context: StoreContext,
  conversation: number,
  id: string,
  events: readonly ChatEvent[],
): boolean {
  const row = ownRow(context, conversation, id);
  if (!row) return false;
  // Another window took this one for dead.
  if (row.state === 'stopped') {
    context.database.run(`UPDATE messages SET state = 'arriving' WHERE key = ?`, row.key);
  }
  insertChunk(context, row.key, events);
  return true;
}

/**
 * Runs within a transaction.
 *
 * @returns whether this window received the message
 */
export function storeFinish(
  context: StoreContext,
  conversation: number,
  id: string,
  { choices, request, madeNothing = false }: Finish,
): boolean {
  const { database } = context;
  const row = ownRow(context, conversation, id);
  if (!row) return false;
  const sql = `UPDATE messages SET state = 'done', owner = NULL, model = ? WHERE key = ?`;
  database.run(sql, request.model, row.key);
  database.run('DELETE FROM chunks WHERE message = ?', row.key);
  storeContent(context, row.key, choices, request);
  storeUsage(context, row.key, madeNothing ? undefined : request);
  return true;
}

/** The answers that arrive in other windows. */
export function arrivingElsewhere({ database, window }: StoreContext): readonly Arriving[] {
  return database.all(
    `SELECT key, conversation, coalesce(owner, '') AS owner FROM messages
     WHERE state = 'arriving' AND owner IS NOT ?`,
    window,
  );
}

/** What was written of an answer, with its pictures as attachments. */
export async function arrivedChoices(
  context: StoreContext,
  attachments: Attachments,
  message: number,
): Promise<MessageRecord['choices']> {
  return keptReplies(arrivedReplies(context, message), attachments);
}

/**
 * Runs within a transaction. The chunks stay: a window that was frozen goes on with its answer when it wakes.
 *
 * @param last the last chunk that is in the choices; one that was written since is of a window that lives
 * @returns whether the answer was still arriving, in the window that is dead
 */
export function storeStopped(
  context: StoreContext,
  { key, owner }: Arriving,
  choices: MessageRecord['choices'],
  last: number,
): boolean {
  if (lastChunk(context, key) !== last) return false;
  const { database } = context;
  const stopped = database.run(
    `UPDATE messages SET state = 'stopped' WHERE key = ? AND state = 'arriving' AND coalesce(owner, '') = ?`,
    ...[key, owner],
  );
  if (stopped === 0) return false;
  storeContent(context, key, choices);
  const sql = 'SELECT request FROM contents WHERE message = ?';
  const request = database.get<{ request: string | null }>(sql, key)?.request ?? null;
  if (request !== null) storeUsage(context, key, parsed<RequestRecord>(request));
  return true;
}

/** A message that this window receives, or received until another one took it for dead. */
function ownRow(
  { database, window }: StoreContext,
  conversation: number,
  id: string,
): { readonly key: number; readonly state: MessageRecord['state'] } | undefined {
  return database.get(
    `SELECT key, state FROM messages
     WHERE conversation = ? AND id = ? AND state IN ('arriving', 'stopped') AND owner = ?`,
    ...[conversation, id, window],
  );
}
