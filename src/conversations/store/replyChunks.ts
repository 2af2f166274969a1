import type { ChatEvent } from '../../wire/chatEvent.ts';
import { appendEvent, type ReplyBuilder } from '../conversation/reply.ts';
import { storedJson } from './conversationRows.ts';
import type { StoreContext } from './storeContext.ts';

// The content of a reply that is not done: one row for each write.

/** Runs within a transaction. Does not read earlier chunks. */
export function insertChunk({ database }: StoreContext, message: number, events: readonly ChatEvent[]): void {
  const joined = joinedEvents(events);
  if (joined.length === 0) return;
  database.run('INSERT INTO chunks (message, events) VALUES (?, ?)', message, JSON.stringify(joined));
}

/** The choices of a reply, from the chunks written so far. */
export function arrivedReplies({ database }: StoreContext, message: number): readonly ReplyBuilder[] {
  const replies: ReplyBuilder[] = [];
  const sql = 'SELECT events FROM chunks WHERE message = ? ORDER BY key';
  for (const { events } of database.all<{ events: string }>(sql, message)) {
    for (const event of storedJson<readonly ChatEvent[]>(events)) appendEvent(replies, event);
  }
  return replies;
}

/** The key of a reply's last chunk; 0 if there is none. */
export function lastChunk({ database }: StoreContext, message: number): number {
  const sql = 'SELECT coalesce(max(key), 0) AS last FROM chunks WHERE message = ?';
  return database.get<{ last: number }>(sql, message)?.last ?? 0;
}

/** Merges consecutive pieces of the same text, and drops events without content. */
function joinedEvents(events: readonly ChatEvent[]): readonly ChatEvent[] {
  const joined: ChatEvent[] = [];
  for (const event of events) {
    if (!('choice' in event) || event.type === 'finish') continue;
    const last = joined.at(-1);
    const longer = last && longerText(last, event);
    if (longer) joined[joined.length - 1] = longer;
    else joined.push(event);
  }
  return joined;
}

/** A signature covers the reasoning before it; later reasoning is another part. */
function longerText(last: ChatEvent, event: ChatEvent): ChatEvent | undefined {
  if (event.type !== 'text' && event.type !== 'refusal' && event.type !== 'reasoning') return undefined;
  if (last.type !== event.type || last.choice !== event.choice || 'signature' in last) return undefined;
  return { ...last, ...event, text: last.text + event.text };
}
