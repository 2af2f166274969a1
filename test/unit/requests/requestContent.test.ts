import assert from 'node:assert/strict';
import { joined } from '../../../src/requests/rawContent.ts';
import { timedEvents } from '../../../src/requests/timedText.ts';
import { canary, record, transcript } from '../../support/requestRecords.ts';

const encodings = [
  canary,
  Buffer.from(canary).toString('base64'),
  Buffer.from(canary).toString('base64url'),
  Buffer.from(canary).toString('hex'),
  encodeURIComponent(canary),
  JSON.stringify(`${canary}"`),
  canary.slice(4, 16),
];

describe('what is recorded of a request', () => {
  it('T21 holds no credential, however the reply spells it', () => {
    for (const spelled of encodings) {
      const content = record({
        transcript: transcript(`{"model":"m","user":"${canary}"}`, [[1, `{"echo":"${spelled}"}`]], {
          'content-type': 'application/json',
          'x-echo': spelled,
        }),
      }).content();
      const text = JSON.stringify(content);
      assert.ok(!text.includes(canary), spelled);
      assert.ok(!text.includes(spelled), spelled);
      assert.match(text, /\$MODEL_GATEWAY_CREDENTIAL/);
    }
  });

  it('tells what the local gateway says of how the reply came about, without the credential', () => {
    const headers = {
      'x-upstream': 'work',
      'x-gateway-model': 'work/small',
      'x-gateway-conversion': 'chatCompletions to messages',
      'x-gateway-passed-over': `home/m (${canary})`,
    };
    const { figures } = record({ transcript: transcript('{}', [], headers) });
    assert.deepEqual(figures.notes, {
      ...{ upstream: 'work', model: 'work/small', conversion: 'chatCompletions to messages' },
      passedOver: 'home/m ([redacted])',
    });
    assert.equal(record({ transcript: transcript('{}', [], {}) }).figures.notes, undefined);
  });

  it('D13 holds no credential that a stream brought in pieces, and tells the other events as they were', () => {
    const pieces = canary.match(/.{1,5}/g) ?? [];
    const events = [...pieces, ' and more'].map(
      (content) => `data: {"choices":[{"delta":{"content":"${content}"}}]}`,
    );
    const stream: readonly [number, string][] = events.map((event, nth) => [nth, `${event}\n\n`]);
    const { reply } =
      record({ transcript: transcript('{}', stream, { 'content-type': 'text/event-stream' }) }).content() ??
      {};
    const texts = reply?.beginning.map(({ text }) => text) ?? [];
    assert.equal(texts.length, events.length);
    assert.equal(texts.at(-1), events.at(-1));
    const said = texts.map((text) => /"content":"([^"]*)"/.exec(text)?.[1]).join('');
    assert.equal(said, '[redacted] and more');
  });

  it('keeps a request as it was sent where it holds no credential, and hides what looks like one for the disk', () => {
    const body = '{"model":"m","messages":[{"role":"user","content":"my key is sk-live-abcdef123456"}]}';
    const { content } = record({ transcript: transcript(body, []) });
    assert.equal(content()?.requestBody?.text, body);
    const kept = content({ maxBodyBytes: 1024, hidesAll: true });
    assert.doesNotMatch(JSON.stringify(kept), /sk-live-abcdef/);
  });

  it('is limited, and says how much is missing', () => {
    const { content } = record({
      transcript: transcript(
        'q'.repeat(5000),
        [...'abcdefghij'].map((letter, nth) => [nth, letter.repeat(1000)] as const),
      ),
    });
    const kept = content({ maxBodyBytes: 4000, hidesAll: true });
    assert.equal(kept?.requestBody?.text.length, 4000);
    assert.equal(kept?.requestBody?.omitted, 1000);
    const { beginning = [], end = [], omittedBytes = 0 } = kept?.reply ?? {};
    const length = [...beginning, ...end].reduce((sum, { text }) => sum + text.length, 0);
    assert.equal(length + omittedBytes, 10_000);
    assert.match(beginning[0]?.text ?? '', /^a+b+c+$/);
    assert.match(end[0]?.text ?? '', /^j+$/);
  });

  it('tells the events of a stream with the time of their last byte, however the network split them', () => {
    const pieces = [
      [5, 'data: {"a":'],
      [9, '1}\n\ndata: é'.slice(0, -1)],
      [30, 'b\n\n: ping\r\n\r\nda'],
      [31, 'ta: [DONE]\n\n'],
    ] as const;
    const events = timedEvents(joined(pieces.map(([atMs, text]) => ({ atMs, bytes: Buffer.from(text) }))));
    assert.deepEqual(events, [
      { atMs: 9, text: 'data: {"a":1}' },
      { atMs: 30, text: 'data: b' },
      { atMs: 30, text: ': ping' },
      { atMs: 31, text: 'data: [DONE]' },
    ]);
  });

  it('joins a character that two pieces share', () => {
    const bytes = Buffer.from('data: é\n\n');
    const events = timedEvents(
      joined([
        { atMs: 1, bytes: bytes.subarray(0, 7) },
        { atMs: 2, bytes: bytes.subarray(7) },
      ]),
    );
    assert.deepEqual(events, [{ atMs: 2, text: 'data: é' }]);
  });
});
