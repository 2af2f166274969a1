import { parseStored, type WriteContext } from '../../storage/database.ts';
import type { ChatEvent } from '../../wire/chatEvent.ts';
import { appendEvent, type ReplyBuilder } from '../conversation/reply.ts';

// Chunks are the content of a reply that is not done: one row for each write.

/** Runs within a transaction. Does not read earlier chunks. */
export function insertChunk({ database }: WriteContext, message: number, events: readonly ChatEvent[]): void {
  const merged = mergeEvents(events);
  if (merged.length === 0) return;
  database.run('INSERT INTO chunks (message, events) VALUES (?, ?)', message, JSON.stringify(merged));
}

/** Reads the choices of a reply from the chunks written so far. */
export function readArrivedReplies({ database }: WriteContext, message: number): readonly ReplyBuilder[] {
  const replies: ReplyBuilder[] = [];
  const sql = 'SELECT events FROM chunks WHERE message = ? ORDER BY key';
  for (const { events } of database.all<{ events: string }>(sql, message)) {
    for (const event of parseStored<readonly ChatEvent[]>(events)) appendEvent(replies, event);
  }
  return replies;
}

/** Reads the key of a reply's last chunk; 0 if there is none. */
export function readLastChunkKey({ database }: WriteContext, message: number): number {
  const sql = 'SELECT coalesce(max(key), 0) AS last FROM chunks WHERE message = ?';
  return database.get<{ last: number }>(sql, message)?.last ?? 0;
}

/** Merges consecutive pieces of the same text, and drops events without content. */
function mergeEvents(events: readonly ChatEvent[]): readonly ChatEvent[] {
  const merged: ChatEvent[] = [];
  for (const event of events) {
    if (!('choice' in event) || event.type === 'finish') continue;
    const last = merged.at(-1);
    const longerText = last && mergeTexts(last, event);
    if (longerText) merged[merged.length - 1] = longerText;
    else merged.push(event);
  }
  return merged;
}

/** Returns undefined for other events, and after a signature: it only covers the reasoning before it. */
function mergeTexts(last: ChatEvent, event: ChatEvent): ChatEvent | undefined {
  if (event.type !== 'text' && event.type !== 'refusal' && event.type !== 'reasoning') return undefined;
  if (last.type !== event.type || last.choice !== event.choice || 'signature' in last) return undefined;
  return { ...last, ...event, text: last.text + event.text };
}
