import assert from 'node:assert/strict';
import { ChatCompletionsDecoder } from '../../../src/wire/apis/chatCompletions/readReply.ts';
import { ContentGenerationDecoder } from '../../../src/wire/apis/contentGeneration/readReply.ts';
import { InteractionsDecoder } from '../../../src/wire/apis/interactions/readReply.ts';
import { MessagesDecoder } from '../../../src/wire/apis/messages/readReply.ts';
import { ResponsesDecoder } from '../../../src/wire/apis/responses/readReply.ts';
import type { FormatDecoder } from '../../../src/wire/stream/decodedReply.ts';
import { decodeWith, type Reading } from './streamFixtures.ts';

const readers: Record<string, () => FormatDecoder> = {
  'chat completions': () => new ChatCompletionsDecoder(),
  'content generation': () => new ContentGenerationDecoder(),
  messages: () => new MessagesDecoder(),
  responses: () => new ResponsesDecoder(),
  interactions: () => new InteractionsDecoder(),
};

/** Checks that the text is decoded to the same reply as a whole, in two pieces of any sizes, and in bytes. */
function readInPieces(reader: () => FormatDecoder, text: string): Reading {
  const bytes = Buffer.from(text);
  const unsplit = decodeWith(reader(), bytes);
  const same = (...pieces: readonly Uint8Array[]) => {
    const reading = decodeWith(reader(), ...pieces);
    // As text first, because thousands of comparisons dominate the time of these tests.
    if (JSON.stringify(reading) !== JSON.stringify(unsplit)) assert.deepEqual(reading, unsplit);
  };
  for (let at = 0; at <= bytes.length; at++) same(bytes.subarray(0, at), bytes.subarray(at));
  same(...[...bytes].map((byte) => Uint8Array.of(byte)));
  return unsplit;
}

describe('F61 a good status with text instead of a reply', () => {
  const texts: readonly (readonly [text: string, kind: string, words?: string])[] = [
    ['rate limit exceeded', 'rate-limited'],
    ['Rate limit exceeded\n', 'rate-limited', 'Rate limit exceeded'],
    ['error: rate limit exceeded', 'rate-limited'],
    ['too many requests', 'rate-limited'],
    ['invalid token', 'authentication'],
    ['error: invalid api key', 'authentication'],
    ['unauthorized', 'authentication'],
    ['error: no available channel for model m', 'model-unavailable'],
    ['model not found', 'model-unavailable'],
    ['insufficient balance', 'quota'],
    ['404 page not found', 'unreachable'],
    ['data unavailable', 'malformed-reply'],
    ['data', 'interrupted'],
    ['event not found', 'malformed-reply'],
    ['error', 'malformed-reply'],
    ['error: upstream failed', 'malformed-reply'],
    [
      'error: upstream failed\n\nrequest id: 7\n\n',
      'malformed-reply',
      'error: upstream failed\n\nrequest id: 7',
    ],
    ['identity refused', 'malformed-reply'],
    ['retry later', 'malformed-reply'],
    ['id unknown', 'malformed-reply'],
    [': out of order', 'malformed-reply'],
    [':(', 'malformed-reply'],
    ['no upstream', 'malformed-reply'],
    ['\r\r\uFEFF\n not today', 'malformed-reply', 'not today'],
    ['[error] no upstream', 'malformed-reply'],
  ];
  for (const [format, reader] of Object.entries(readers)) {
    for (const [text, kind, words = text] of texts) {
      it(`is ${kind} in ${format}: ${JSON.stringify(text)}`, () => {
        const { events, end } = readInPieces(reader, text);
        assert.deepEqual(events, []);
        if (kind === 'interrupted') assert.equal(end.failure?.reason, 'cut');
        else
          assert.deepEqual(
            [end.kind, end.failure],
            ['failed', { ...copyReason(end), kind, gatewayMessage: words }],
          );
      });
    }

    for (const alive of [
      ': ping\n\n',
      ':HTTP_STATUS/200\nevent:result\n',
      ': a\n: b\n',
      'retry: 3000\n\n',
      'da',
      'id: 1\n',
    ]) {
      it(`P7 is a cut stream in ${format}: ${JSON.stringify(alive)}`, () => {
        assert.deepEqual(readInPieces(reader, alive).end.failure?.reason, 'cut');
      });
    }

    for (const emptyReply of ['null', ' null\n', '[]', '\uFEFF']) {
      it(`F38 is an empty reply in ${format}: ${JSON.stringify(emptyReply)}`, () => {
        assert.equal(readInPieces(reader, emptyReply).end.failure?.reason, 'empty-reply');
      });
    }
  }
});

describe('F52 a bare error in a stream', () => {
  const error = JSON.stringify({ error: { message: 'Words', code: 429 } });
  const before = {
    'after a comment and lone CRs': ': ping\r\r',
    'after a comment and a CR': ': ping\r',
    'after CRLFs': ': ping\r\n\r\n',
    'after blank lines': ': ping\n\n\n\n\n',
    'after lone CRs only': '\r\r\r',
    'after a byte order mark': '\uFEFF',
    'after a byte order mark and CRs': '\uFEFF\r\r',
    'after a byte order mark at the start of a line': ': ping\n\n\uFEFF',
    'after a byte order mark that follows a lone CR': ': ping\r\uFEFF',
  };
  for (const [where, start] of Object.entries(before)) {
    for (const after of ['', '\n', '\r\r', '\n\n: ping\n\n']) {
      for (const body of [error, JSON.stringify(JSON.parse(error), null, 2), `[${error}]`]) {
        const isText = /^\s*$/.test(start) && body.startsWith('{') && after.includes('ping');
        const place = `${where}, before ${JSON.stringify(after)}: ${JSON.stringify(body.slice(0, 12))}`;
        it(`is ${isText ? 'shown as text' : 'found'} ${place}`, () => {
          const { end } = readInPieces(() => new ChatCompletionsDecoder(), start + body + after);
          // An object that begins the reply is not a JSON document if text follows it.
          const expected = isText ? ['malformed-reply', (body + after).trim()] : ['rate-limited', 'Words'];
          assert.deepEqual([end.failure?.kind, end.failure?.gatewayMessage], expected);
        });
      }
    }
  }

  it('T24 is not searched for after a second byte order mark, for any split of the bytes', () => {
    const text = `data: {"choices":[]}\n\n\uFEFF\uFEFF${error}\n\n`;
    const { end } = readInPieces(() => new ChatCompletionsDecoder(), text);
    assert.equal(end.failure?.reason, 'cut');
  });

  it('T24 is not searched for inside a line', () => {
    const content = 'a \uFEFF{"error":1} b';
    const chunk = JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: 'stop' }] });
    const { events, end } = readInPieces(() => new ChatCompletionsDecoder(), `data: ${chunk}\n\n`);
    assert.equal(end.kind, 'complete');
    assert.deepEqual(events[1], { type: 'text', choice: 0, text: content });
  });
});

function copyReason({ failure }: Reading['end']): { readonly reason?: string } {
  return failure?.reason ? { reason: failure.reason } : {};
}
