import assert from 'node:assert/strict';
import { hideAcross } from '../../../src/wire/secrets/splitEchoes.ts';
import { assertLinear } from '../../support/linearCost.ts';

const secret = 'canary-credential-8Qx2Lm5Vt0';
const data = (value: unknown) => `data: ${JSON.stringify(value)}`;
const chunk = (content: string, index = 0) => data({ choices: [{ index, delta: { content } }] });

/** The full reported text, as a reader would join it. */
const joinText = (events: readonly string[]) =>
  events
    .flatMap((event) =>
      [...event.matchAll(/"(?:content|text|delta|partial_json)":"([^"]*)"/g)].map(([, text]) => text),
    )
    .join('');

describe('D13 a credential that is split over the events of a stream', () => {
  const pieces = (length: number) => secret.match(new RegExp(`.{1,${length}}`, 'g')) ?? [];

  for (const length of [1, 2, 3, 5, 7, 11]) {
    it(`is redacted in pieces of ${length}`, () => {
      const events = ['Your key ', ...pieces(length), ' is odd'].map((text) => chunk(text));
      const hidden = hideAcross(events, [secret]);
      assert.equal(hidden.length, events.length);
      assert.equal(joinText(hidden), 'Your key [redacted] is odd');
    });
  }

  const forms: readonly (readonly [string, string])[] = [
    ['base64', Buffer.from(secret).toString('base64')],
    ['base64url', Buffer.from(secret).toString('base64url')],
    ['hex', Buffer.from(secret).toString('hex')],
  ];
  for (const [name, form] of forms) {
    it(`is redacted in ${name}`, () => {
      const events = (form.match(/.{1,4}/g) ?? []).map((text) => chunk(text));
      assert.ok(!joinText(hideAcross(events, [secret])).includes(form.slice(0, 8)));
    });
  }

  const shapes: readonly (readonly [string, (text: string) => string])[] = [
    ['messages', (text) => `event: content_block_delta\n${data({ type: 'x', delta: { type: 't', text } })}`],
    ['arguments of tools', (text) => data({ delta: { partial_json: text } })],
    ['responses', (delta) => data({ type: 'response.output_text.delta', item_id: 'm', delta })],
    ['content generation', (text) => data({ candidates: [{ content: { parts: [{ text }] } }] })],
    ['plain text', (text) => `data: ${text}`],
  ];
  for (const [name, shape] of shapes) {
    it(`is redacted in the form of ${name}`, () => {
      const hidden = hideAcross(pieces(4).map(shape), [secret]).join('\n');
      for (const piece of pieces(4))
        assert.ok(!hidden.includes(`"${piece}"`) && !hidden.includes(`data: ${piece}`));
      assert.match(hidden, /\[redacted\]/);
    });
  }

  it('is redacted in each of several alternating choices', () => {
    const events = pieces(3).flatMap((text) => [chunk(text, 0), chunk('a quick brown fox', 1)]);
    const hidden = hideAcross(events, [secret]);
    assert.ok(pieces(3).every((piece) => !hidden.includes(chunk(piece, 0))));
    assert.equal(hidden.filter((event) => event === chunk('a quick brown fox', 1)).length, pieces(3).length);
  });

  it('is redacted in the elements of a JSON document', () => {
    const document = JSON.stringify(
      pieces(5).map((text) => ({ candidates: [{ text }] })),
      null,
      2,
    );
    const [hidden = ''] = hideAcross([document], [secret]);
    assert.equal(joinText([hidden.replaceAll('": "', '":"')]), '[redacted]');
  });

  it('T3 is redacted in the numbered or listed parts of a reply', () => {
    const numbered = pieces(5).map((text, index) =>
      data({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } }),
    );
    assert.equal(joinText(hideAcross(numbered, [secret])), '[redacted]');
    const document = JSON.stringify({ content: pieces(5).map((text) => ({ type: 'text', text })) });
    assert.equal(joinText(hideAcross([document], [secret])), '[redacted]');
  });

  it('is redacted without changing other text', () => {
    const events = [
      chunk('canary-'),
      'event: ping',
      ': comment',
      'data: {"a" : 1}',
      'data: [DONE]',
      chunk('x'),
    ];
    assert.deepEqual(hideAcross(events, [secret]), events);
    assert.deepEqual(hideAcross(events, ['short']), events);
  });

  describe('P9 is searched for in linear time', () => {
    const parts = pieces(9);
    const streams: Readonly<Record<string, (n: number) => readonly string[]>> = {
      'with many occurrences': (n) =>
        Array.from({ length: n }, (_, nth) => chunk(parts[nth % parts.length] ?? '')),
      'with many occurrences in one event': (n) => [chunk(`${secret} `.repeat(n))],
      'with many texts inside a long name': (n) => {
        const texts = Object.fromEntries(Array.from({ length: n }, (_, nth) => [`t${nth}`, '']));
        return [`data: ${JSON.stringify({ ['x'.repeat(n)]: texts })}`];
      },
    };
    for (const [name, stream] of Object.entries(streams))
      it(name, () => assertLinear(stream, (events) => hideAcross(events, [secret]), 4000));
  });
});
