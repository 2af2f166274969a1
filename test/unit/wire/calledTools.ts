import type { FormatDecoder } from '../../../src/wire/stream/decodedReply.ts';
import { decodeWith } from './streamFixtures.ts';

export interface Called {
  id: string | undefined;
  name: string | undefined;
  arguments: string;
}

/** The calls that the events of a reply add up to, in the order they were opened. */
export function callsIn(reader: FormatDecoder, body: string): readonly Called[] {
  const calls: Called[] = [];
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
