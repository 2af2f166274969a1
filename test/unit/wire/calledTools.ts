import type { FormatDecoder } from '../../../src/wire/stream/decodedReply.ts';
import { decodeWith } from './streamFixtures.ts';

export interface ToolCall {
  id: string | undefined;
  name: string | undefined;
  arguments: string;
}

/** The tool calls that the events of a reply form, in the order of their first event. */
export function readCalls(reader: FormatDecoder, body: string): readonly ToolCall[] {
  const calls: ToolCall[] = [];
  for (const event of decodeWith(reader, Buffer.from(body)).events) {
    if (event.type !== 'toolCall') continue;
    const call = calls[event.index] ?? { id: undefined, name: undefined, arguments: '' };
    calls[event.index] = {
      id: event.id ?? call.id,
      name: event.name ?? call.name,
      arguments: call.arguments + (event.arguments ?? ''),
    };
  }
  return calls;
}

export const stream = (...payloads: readonly object[]) =>
  payloads.map((payload) => `data: ${JSON.stringify(payload)}\n\n`).join('');

export const weatherCall = { id: 'call_a', name: 'weather', arguments: '{"city":"Ulm"}' };
export const timeCall = { id: 'call_b', name: 'time', arguments: '{"zone":"UTC"}' };
