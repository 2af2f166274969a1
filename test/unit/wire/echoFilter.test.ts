import assert from 'node:assert/strict';
import type { ChatEvent } from '../../../src/wire/chatEvent.ts';
import { EchoFilter } from '../../../src/wire/secrets/echoFilter.ts';

const canary = 'canary-credential-7f3a91';
const forms = [
  canary,
  Buffer.from(canary).toString('base64'),
  Buffer.from(canary).toString('hex'),
  canary.replaceAll(/./g, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
];

const text = (words: string, choice = 0): ChatEvent => ({ type: 'text', choice, text: words });

/** The events that pass the filter when they are given one by one. */
function filterEvents(
  events: readonly ChatEvent[],
  secrets: readonly string[] = [canary],
): readonly ChatEvent[] {
  const echoes = new EchoFilter(secrets);
  return [...events.flatMap((event) => echoes.hide([event])), ...echoes.flush()];
}

function joinText(events: readonly ChatEvent[], choice = 0): string {
  return events.map((event) => (event.type === 'text' && event.choice === choice ? event.text : '')).join('');
}

describe('a credential that a reply repeats', () => {
  it('T21 is redacted for any split of the reply, and other text is not', () => {
    for (const form of forms) {
      const reply = `You sent ${form}, canary-cred and c${form}c`;
      for (let size = 1; size <= reply.length; size++) {
        const pieces = reply.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
        const output = joinText(filterEvents(pieces.map((piece) => text(piece))));
        const shown = /^You sent (.{0,3})\[redacted\], canary-cred and c(.{0,3})\[redacted\]c$/.exec(output);
        assert.ok(
          shown?.slice(1).every((begin) => form.startsWith(begin)),
          `${form} by ${size}: ${output}`,
        );
      }
    }
  });

  it('is redacted in every other field of a reply', () => {
    const events: ChatEvent[] = [
      { type: 'start', id: canary, model: `m/${canary}` },
      { type: 'toolCall', choice: 0, index: 0, id: canary, name: canary, arguments: `{"a":"${canary}"}` },
      { type: 'reasoning', choice: 0, text: canary, signature: canary },
      { type: 'mediaLink', choice: 0, mimeType: 'image/png', url: `https://gateway.example/${canary}` },
      { type: 'citation', choice: 0, url: `https://gateway.example/${canary}`, title: canary },
      { type: 'serviceTier', name: canary },
      { type: 'finish', choice: 0, reason: 'other', raw: canary },
    ];
    const output = filterEvents(events);
    assert.deepEqual(output, JSON.parse(JSON.stringify(events).replaceAll(canary, '[redacted]')));
  });

  it('is redacted in fragments of arguments, of reasoning and of each of several choices', () => {
    const [begin, end] = [canary.slice(0, 9), canary.slice(9)];
    const output = filterEvents([
      { type: 'toolCall', choice: 0, index: 0, name: 'f', arguments: begin },
      { type: 'toolCall', choice: 0, index: 0, arguments: end },
      { type: 'reasoning', choice: 1, text: begin },
      { type: 'reasoning', choice: 2, text: begin },
      { type: 'reasoning', choice: 1, text: end },
      { type: 'reasoning', choice: 2, text: end },
    ]);
    assert.deepEqual(output, [
      { type: 'toolCall', choice: 0, index: 0, name: 'f', arguments: '' },
      { type: 'toolCall', choice: 0, index: 0, arguments: '[redacted]' },
      { type: 'reasoning', choice: 1, text: '[redacted]' },
      { type: 'reasoning', choice: 2, text: '[redacted]' },
    ]);
  });

  it('is not confused with text that only starts like it, which keeps its order', () => {
    const events: ChatEvent[] = [
      { type: 'reasoning', choice: 0, text: 'music' },
      text('basic'),
      { type: 'toolCall', choice: 0, index: 0, arguments: 'c' },
      { type: 'toolCall', choice: 0, index: 1, arguments: 'ca' },
      text('can'),
      { type: 'finish', choice: 0, reason: 'stop', raw: 'stop' },
    ];
    const words = (all: readonly ChatEvent[]) =>
      all
        .map((event) => ('text' in event ? event.text : 'arguments' in event ? event.arguments : '|'))
        .join('');
    assert.equal(words(filterEvents(events)), words(events));
    assert.equal(filterEvents(events).at(-1)?.type, 'finish');
  });

  it('is redacted after it was replaced or one was added', () => {
    const other = 'another-credential-c04e77';
    for (const secrets of [[canary], [other], [canary, other], [canary]]) {
      const output = filterEvents(
        secrets.map((secret) => text(`${secret}, `)),
        secrets,
      );
      assert.equal(joinText(output), '[redacted], '.repeat(secrets.length));
    }
    assert.equal(joinText(filterEvents([text(`${other}, `)])), `${other}, `);
  });

  it('is not redacted if it is short and may be a word', () => {
    const events = [text('ask oll'), text('ama')];
    assert.deepEqual(filterEvents(events, ['ollama']), events);
    assert.deepEqual(filterEvents(events, []), events);
  });
});
