import assert from 'node:assert/strict';
import { ChatCompletionsDecoder } from '../../../src/wire/apis/chatCompletions/readReply.ts';
import { ContentGenerationDecoder } from '../../../src/wire/apis/contentGeneration/readReply.ts';
import { MessagesDecoder } from '../../../src/wire/apis/messages/readReply.ts';
import type { DecodedReply, FormatDecoder } from '../../../src/wire/stream/decodedReply.ts';
import { endOfEvent } from '../../../src/wire/stream/repeatedEvents.ts';
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
];

/** A recording with each event three times, the second time with another text. */
function repeatEvents(recording: string): Buffer {
  let text = '';
  for (let at = 0; at < recording.length; ) {
    const end = endOfEvent(recording, at);
    const event = recording.slice(at, end);
    text += event + event.replace(/("(?:text|content|thinking)":\s*")/, '$1é \\"') + event;
    at = end;
  }
  return Buffer.from(text);
}

describe('repeated events are read as on the plain path, split at every byte', () => {
  for (const [folder, create] of formats) {
    for (const { name, bytes } of streamFixtures(folder)) {
      it(`P8 ${folder}/${name}`, () => {
        const repeated = repeatEvents(bytes.toString());
        const plain = JSON.stringify(decodeWith(withoutRepetition(create()), repeated));
        for (let at = 0; at <= repeated.length; at++) {
          const split = decodeWith(create(), repeated.subarray(0, at), repeated.subarray(at));
          assert.equal(JSON.stringify(split), plain, `split at ${at}`);
        }
        const bytewise = decodeWith(create(), ...[...repeated].map((byte) => Uint8Array.of(byte)));
        assert.equal(JSON.stringify(bytewise), plain, 'byte by byte');
      });
    }
  }
});
