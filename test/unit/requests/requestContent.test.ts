import assert from 'node:assert/strict';
import { joinArrivedPieces, splitRecordedEvents } from '../../../src/requests/requestContent.ts';
import { canary, createRecord, createTranscript } from '../../support/requestRecords.ts';

const encodings = [
  canary,
  Buffer.from(canary).toString('base64'),
  Buffer.from(canary).toString('base64url'),
  Buffer.from(canary).toString('hex'),
  encodeURIComponent(canary),
  JSON.stringify(`${canary}"`),
  canary.slice(4, 16),
];

describe('the record of a request', () => {
  it('T21 does not contain a credential in any encoding', () => {
    for (const spelled of encodings) {
      const content = createRecord({
        transcript: createTranscript(`{"model":"m","user":"${canary}"}`, [[1, `{"echo":"${spelled}"}`]], {
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

  it('lists the upstream, model and conversion that the local gateway reports, without the credential', () => {
    const headers = {
      'x-upstream': 'work',
      'x-gateway-model': 'work/small',
      'x-gateway-conversion': 'chatCompletions to messages',
      'x-gateway-skipped-models': `home/m (${canary})`,
    };
    const { figures } = createRecord({ transcript: createTranscript('{}', [], headers) });
    assert.deepEqual(figures.notes, {
      upstream: 'work',
      model: 'work/small',
      conversion: 'chatCompletions to messages',
      skippedModels: 'home/m ([redacted])',
    });
    assert.equal(createRecord({ transcript: createTranscript('{}', [], {}) }).figures.notes, undefined);
  });

  it('D13 does not contain a credential that a stream sent in pieces, and leaves the other events unchanged', () => {
    const pieces = canary.match(/.{1,5}/g) ?? [];
    const events = [...pieces, ' and more'].map(
      (content) => `data: {"choices":[{"delta":{"content":"${content}"}}]}`,
    );
    const stream: readonly [number, string][] = events.map((event, nth) => [nth, `${event}\n\n`]);
    const { reply } =
      createRecord({
        transcript: createTranscript('{}', stream, { 'content-type': 'text/event-stream' }),
      }).content() ?? {};
    const texts = reply?.beginning.map(({ text }) => text) ?? [];
    assert.equal(texts.length, events.length);
    assert.equal(texts.at(-1), events.at(-1));
    const joined = texts.map((text) => /"content":"([^"]*)"/.exec(text)?.[1]).join('');
    assert.equal(joined, '[redacted] and more');
  });

  it('leaves a body without the credential unchanged, but redacts texts that look like one for the disk', () => {
    const body = '{"model":"m","messages":[{"role":"user","content":"my key is sk-live-abcdef123456"}]}';
    const { content } = createRecord({ transcript: createTranscript(body, []) });
    assert.equal(content()?.requestBody?.text, body);
    const stored = content({ maxBodyBytes: 1024, hidesAll: true });
    assert.doesNotMatch(JSON.stringify(stored), /sk-live-abcdef/);
  });

  it('is limited in size, and reports how much is omitted', () => {
    const { content } = createRecord({
      transcript: createTranscript(
        'q'.repeat(5000),
        [...'abcdefghij'].map((letter, nth) => [nth, letter.repeat(1000)] as const),
      ),
    });
    const stored = content({ maxBodyBytes: 4000, hidesAll: true });
    assert.equal(stored?.requestBody?.text.length, 4000);
    assert.equal(stored?.requestBody?.omitted, 1000);
    const { beginning = [], end = [], omittedBytes = 0 } = stored?.reply ?? {};
    const length = [...beginning, ...end].reduce((sum, { text }) => sum + text.length, 0);
    assert.equal(length + omittedBytes, 10_000);
    assert.match(beginning[0]?.text ?? '', /^a+b+c+$/);
    assert.match(end[0]?.text ?? '', /^j+$/);
  });

  it('is limited to the same number of bytes for any script, without half a character', () => {
    for (const character of ['q', 'é', '字', '😀']) {
      const body = character.repeat(3000);
      const { content } = createRecord({ transcript: createTranscript(body, []) });
      const { text = '', omitted } = content({ maxBodyBytes: 1001, hidesAll: true })?.requestBody ?? {};
      const bytes = Buffer.byteLength(text);
      assert.ok(bytes <= 1001 && bytes > 1001 - 4, `${bytes} bytes of ${character}`);
      assert.ok(body.startsWith(text) && text.isWellFormed(), character);
      assert.equal(text.length + (omitted ?? 0), body.length, character);
    }
  });

  it('has the first and the last bytes of a reply that arrived as one piece', () => {
    const { content } = createRecord({
      transcript: createTranscript('{}', [[1, `${'a'.repeat(5000)}${'z'.repeat(5000)}`]]),
    });
    const { beginning = [], end = [] } = content({ maxBodyBytes: 4000, hidesAll: true })?.reply ?? {};
    assert.match(beginning[0]?.text ?? '', /^a+$/);
    assert.match(end[0]?.text ?? '', /^z+$/);
  });

  it('lists the events of a stream with the time of their last byte, for any split by the network', () => {
    const pieces = [
      [5, 'data: {"a":'],
      [9, '1}\n\ndata: é'.slice(0, -1)],
      [30, 'b\n\n: ping\r\n\r\nda'],
      [31, 'ta: [DONE]\n\n'],
    ] as const;
    const events = splitRecordedEvents(
      joinArrivedPieces(pieces.map(([atMs, text]) => ({ atMs, bytes: Buffer.from(text) }))),
    );
    assert.deepEqual(events, [
      { atMs: 9, text: 'data: {"a":1}' },
      { atMs: 30, text: 'data: b' },
      { atMs: 30, text: ': ping' },
      { atMs: 31, text: 'data: [DONE]' },
    ]);
  });

  it('joins a character that is split between two pieces', () => {
    const bytes = Buffer.from('data: é\n\n');
    const events = splitRecordedEvents(
      joinArrivedPieces([
        { atMs: 1, bytes: bytes.subarray(0, 7) },
        { atMs: 2, bytes: bytes.subarray(7) },
      ]),
    );
    assert.deepEqual(events, [{ atMs: 2, text: 'data: é' }]);
  });
});
