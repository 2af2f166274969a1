import assert from 'node:assert/strict';
import { ChatCompletionsDecoder } from '../../../src/wire/apis/chatCompletions/readReply.ts';
import { ContentGenerationDecoder } from '../../../src/wire/apis/contentGeneration/readReply.ts';
import { InteractionsDecoder } from '../../../src/wire/apis/interactions/readReply.ts';
import { MessagesDecoder } from '../../../src/wire/apis/messages/readReply.ts';
import { ResponsesDecoder } from '../../../src/wire/apis/responses/readReply.ts';
import type { DecodedReply, FormatDecoder } from '../../../src/wire/stream/decodedReply.ts';
import { findEventEnd } from '../../../src/wire/stream/repeatedEvents.ts';
import { decodeWith, streamFixtures } from './streamFixtures.ts';

/** The same format without the direct reading of repeated events. */
function withoutRepetition(decoder: FormatDecoder): FormatDecoder {
  return {
    requiredMember: decoder.requiredMember,
    ...(decoder.eventType !== undefined && { eventType: decoder.eventType }),
    ...(decoder.hasEndMark !== undefined && { hasEndMark: decoder.hasEndMark }),
    parse: (data) => decoder.parse(data),
    read: (payload, reply: DecodedReply) => decoder.read(payload, reply),
  };
}

const formats: readonly (readonly [folder: string, create: () => FormatDecoder])[] = [
  ['.', () => new ChatCompletionsDecoder()],
  ['messages', () => new MessagesDecoder()],
  ['contentGeneration', () => new ContentGenerationDecoder()],
  ['responses', () => new ResponsesDecoder()],
  ['interactions', () => new InteractionsDecoder()],
];

/** A recording with each event three times, the last two times with another text. */
function repeatEvents(recording: string): string {
  let text = '';
  for (let at = 0; at < recording.length; ) {
    const end = findEventEnd(recording, at);
    const event = recording.slice(at, end);
    const other = event.replace(/("(?:text|content|thinking|delta)":\s*")/, '$1é \\"');
    text += event + other + other;
    at = end;
  }
  return text;
}

/** The same events with new numbers: only the third of each three events has the number of the second. */
function renumber(events: string): string {
  let count = 0;
  return events.replace(/("sequence_number":\s*)\d+/g, (_, name: string) => {
    const number = 2 * Math.floor(count / 3) + Math.min(1, count % 3);
    count++;
    return `${name}${number}`;
  });
}

function assertSameAsPlain(create: () => FormatDecoder, text: string): void {
  const bytes = Buffer.from(text);
  const plain = JSON.stringify(decodeWith(withoutRepetition(create()), bytes));
  for (let at = 0; at <= bytes.length; at++) {
    const split = decodeWith(create(), bytes.subarray(0, at), bytes.subarray(at));
    assert.equal(JSON.stringify(split), plain, `split at ${at}`);
  }
  const bytewise = decodeWith(create(), ...[...bytes].map((byte) => Uint8Array.of(byte)));
  assert.equal(JSON.stringify(bytewise), plain, 'byte by byte');
}

describe('repeated events, split at every byte,', () => {
  for (const [folder, create] of formats) {
    for (const { name, bytes } of streamFixtures(folder)) {
      const repeated = repeatEvents(bytes.toString());
      const numbered = renumber(repeated);
      it(`P8 of ${folder}/${name} are decoded as without the reuse of earlier events`, () =>
        assertSameAsPlain(create, repeated));
      if (numbered === repeated) continue;
      it(`P8 of ${folder}/${name} with new numbers are decoded as without the reuse of earlier events`, () =>
        assertSameAsPlain(create, numbered));
    }
  }
});
