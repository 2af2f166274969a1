import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseJson } from '../../../../src/base/json.ts';
import { unsealSignature } from '../../../../src/localGateway/conversion/admittedMessages.ts';
import type { ConvertedRequest } from '../../../../src/localGateway/conversion/conversion.ts';
import { textFormat } from '../../../../src/wire/apis/textFormats.ts';
import type { ChatEvent } from '../../../../src/wire/chatEvent.ts';
import type { ConvertibleFormat } from '../../../support/convertibleFormat.ts';
import { longRuns } from '../../../support/longRuns.ts';
import { decodeWith, type Reading, streamFixtures } from '../../wire/streamFixtures.ts';
import { catchRefusal, convert, directions, minimalRequests, names } from './conversions.ts';

const folders: Readonly<Record<ConvertibleFormat, string>> = {
  chatCompletions: '.',
  contentGeneration: 'contentGeneration',
  messages: 'messages',
  responses: 'responses',
};

interface ReplyContent {
  readonly text: string;
  readonly reasoning: string;
  readonly refusal: string;
  readonly calls: readonly { readonly name: string; readonly arguments: unknown }[];
  readonly media: readonly string[];
  /** The addresses of sources. */
  readonly cited: readonly string[];
  readonly finish: string | undefined;
}

/** The content of the first choice of a reply, in any format. */
function readReply(events: readonly ChatEvent[]): ReplyContent {
  const first = events.filter((event) => !('choice' in event) || event.choice === 0);
  const joined = (type: 'text' | 'reasoning' | 'refusal') =>
    first.map((event) => (event.type === type ? event.text : '')).join('');
  const calls = new Map<number, { name: string; arguments: string }>();
  for (const event of first) {
    if (event.type !== 'toolCall') continue;
    const call = calls.get(event.index) ?? { name: '', arguments: '' };
    call.name ||= event.name ?? '';
    call.arguments += event.arguments ?? '';
    calls.set(event.index, call);
  }
  return {
    text: joined('text'),
    reasoning: joined('reasoning'),
    refusal: joined('refusal'),
    calls: [...calls.values()].map((call) => ({
      name: call.name,
      arguments: parseJson(call.arguments === '' ? '{}' : call.arguments) ?? call.arguments,
    })),
    media: first.flatMap((event) => (event.type === 'media' ? event.data : [])),
    cited: [...new Set(first.flatMap((event) => (event.type === 'citation' ? (event.url ?? []) : [])))],
    finish: first.findLast((event) => event.type === 'finish')?.reason,
  };
}

/** All words of the model: formats without refusals write refusals as text. */
function words({ text, refusal, calls, finish }: ReplyContent) {
  return { text: text + refusal, calls, finish };
}

/** Formats with text-only replies show pictures at other addresses in the text. */
function withoutLinks(text: string): string {
  return text.replaceAll(/\n!\[]\(<[^>]*>\)\n/g, '');
}

interface Streamed {
  readonly text: string;
  readonly isCut: boolean;
}

function convertStream(request: ConvertedRequest, ...pieces: readonly Uint8Array[]): Streamed {
  const stream = request.createStream(names);
  const texts = pieces.map((piece) => stream.write(piece));
  const text = texts.join('') + stream.end();
  return { text, isCut: stream.isCut };
}

function read(format: ConvertibleFormat, text: string): Reading {
  return decodeWith(textFormat(format).createDecoder(), Buffer.from(text));
}

function createRequest(from: ConvertibleFormat, to: ConvertibleFormat): ConvertedRequest {
  const usage = from === 'chatCompletions' ? { stream_options: { include_usage: true } } : {};
  return convert(from, to, { ...minimalRequests[from], ...usage, stream: undefined }, { framing: 'events' });
}

/** Content that the caller's format cannot represent: the reply ends in an error of the gateway. */
const unwritable =
  /arguments that are not a JSON object|returned a picture|continued a tool call|returned an empty reply|provider could not parse/;

for (const { from, to } of directions) {
  describe(`a stream of ${to} for a caller of ${from}`, () => {
    for (const { name, bytes, expected } of streamFixtures(folders[to])) {
      it(`has the same content as ${name}`, () => {
        const { text, isCut } = convertStream(createRequest(from, to), bytes);
        const reading = read(from, text);
        assert.equal(isCut, expected.end.kind === 'interrupted');
        if (isCut) return;
        if (unwritable.test(reading.end.failure?.gatewayMessage ?? '')) return;
        const isComplete = expected.end.kind === 'complete' || expected.end.kind === 'truncated';
        assert.equal(reading.end.kind, isComplete ? expected.end.kind : 'failed', text);
        const [before, after] = [readReply(expected.events), readReply(reading.events)];
        assert.equal(after.reasoning, before.reasoning);
        if (isComplete) assert.deepEqual(words(after).calls, words(before).calls);
        assert.ok(withoutLinks(words(after).text).startsWith(before.text));
        if (isComplete && before.text !== '') assert.deepEqual(after.cited, before.cited);
      });
    }

    it('is the same for any split of the bytes', () => {
      const fixtures = streamFixtures(folders[to]);
      const request = createRequest(from, to);
      const unsplit = new Map(fixtures.map(({ name, bytes }) => [name, convertStream(request, bytes)]));
      const pieces = fc.tuple(fc.constantFrom(...fixtures), fc.array(fc.nat(), { maxLength: 12 }));
      fc.assert(
        fc.property(pieces, ([{ name, bytes }, offsets]) => {
          const ends = [...offsets.map((offset) => offset % (bytes.length + 1)), bytes.length];
          const cuts = ends.toSorted((a, b) => a - b);
          const parts = cuts.map((end, at) => bytes.subarray(cuts[at - 1] ?? 0, end));
          assert.deepEqual(convertStream(request, ...parts), unsplit.get(name));
        }),
        { numRuns: 200 },
      );
    });

    it('P7 F51 stays incomplete when cut after any byte, and keeps the preceding content', () => {
      const request = createRequest(from, to);
      for (const { name, bytes } of someFixtures(to)) {
        const unsplit = convertStream(request, bytes);
        const growing = request.createStream(names);
        let readReply = '';
        for (let at = 0; at < bytes.length; at++) {
          const came = convertStream(request, bytes.subarray(0, at));
          assert.ok(came.text.startsWith(readReply), name);
          readReply += growing.write(bytes.subarray(at, at + 1));
          if (!came.isCut) continue;
          assert.ok(unsplit.text.startsWith(readReply), name);
          const { kind } = read(from, came.text).end;
          assert.ok(
            kind === 'interrupted' || kind === 'failed',
            `${name}, ${kind} after ${at}: ${came.text}`,
          );
        }
      }
    });
  });
}

/** All recordings in a long run, otherwise a few of them. */
function someFixtures(format: ConvertibleFormat) {
  const short = streamFixtures(folders[format]).filter(({ bytes }) => bytes.length < 3000);
  return short.filter((_, nth) => longRuns || nth % 9 === 0);
}

describe('whole replies', () => {
  for (const { from, to } of directions) {
    it(`of ${to} have the same content as streamed replies for a caller of ${from}`, () => {
      for (const { bytes, expected } of streamFixtures(folders[to])) {
        const request = createRequest(from, to);
        const isComplete = expected.end.kind === 'complete' || expected.end.kind === 'truncated';
        const stream = convertStream(request, bytes);
        const streamedReading = read(from, stream.text);
        if (!isComplete || streamedReading.end.kind === 'failed') {
          catchRefusal(() => request.convertReply(bytes, names));
          continue;
        }
        const documentReading = read(from, JSON.stringify(request.convertReply(bytes, names)));
        assert.deepEqual(readReply(documentReading.events), readReply(streamedReading.events));
        assert.deepEqual(documentReading.end, streamedReading.end);
      }
    });
  }

  it('seal signatures so that only their own format can read them', () => {
    const thinking = { type: 'thinking', thinking: 'Hmm', signature: 'proof' };
    const message = {
      type: 'message',
      content: [thinking, { type: 'text', text: 'Hi' }],
      stop_reason: 'end_turn',
    };
    const { convertReply } = convert('responses', 'messages', minimalRequests.responses);
    const { output } = convertReply(Buffer.from(JSON.stringify(message)), names) as {
      output: readonly { encrypted_content?: string }[];
    };
    const proof = output[0]?.encrypted_content ?? '';
    assert.equal(unsealSignature('messages', proof, 'reasoning'), 'proof');
    assert.equal(unsealSignature('contentGeneration', proof, 'reasoning'), undefined);
  });
});
