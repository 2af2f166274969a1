import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ContinuationJoin } from '../../../src/conversations/conversation/continuationJoin.ts';
import type { ChatEvent } from '../../../src/wire/chatEvent.ts';
import type { ContinuationForm } from '../../../src/wire/continuationRequest.ts';

/** A text that is cut, and continued in pieces. */
function joined(before: string, rest: string, form: ContinuationForm, size = 3): string {
  const join = new ContinuationJoin(before, form);
  const events: ChatEvent[] = [];
  for (let at = 0; at < rest.length; at += size) {
    events.push(...join.join([{ type: 'text', choice: 0, text: rest.slice(at, at + size) }]));
  }
  events.push(...join.end());
  return before + events.map((event) => (event.type === 'text' ? event.text : '')).join('');
}

const prose = `# Chlorophyll

- absorbs light, red light above all,
- reflects green.

\`\`\`python
def grow(plant):
    for leaf in plant.leaves:
        leaf.grow()
    return plant
\`\`\`

| a | b |
| --- | --- |
| 1 | 2 |
`;

describe('the join of a continued reply', () => {
  it('does not repeat or lose text wherever it was cut', () => {
    for (let at = 1; at < prose.length; at += 1) {
      assert.equal(joined(prose.slice(0, at), prose.slice(at), 'instruction'), prose, `at ${at}`);
    }
  });

  it('contains white space once if a prefix cannot end with it', () => {
    for (let at = 1; at < prose.length; at += 1) {
      const before = prose.slice(0, at);
      assert.equal(joined(before, prose.slice(before.trimEnd().length), 'prefix'), prose, `at ${at}`);
    }
    assert.equal(joined('one ', 'two', 'prefix'), 'one two');
    assert.equal(joined('one', '\n\ntwo', 'prefix'), 'one\n\ntwo');
  });

  it('contains a line or a word once if the model starts it again', () => {
    assert.equal(joined('- one\n- tw', '- two\n- three', 'instruction'), '- one\n- two\n- three');
    assert.equal(joined('It is Chlor', 'Chlorophyll.', 'instruction'), 'It is Chlorophyll.');
    assert.equal(
      joined('a\nThe end of it', 'The end of it all.', 'instruction', 100),
      'a\nThe end of it all.',
    );
  });

  it('contains a repeated long end once, and text that repeats by chance twice', () => {
    const end = 'which is why leaves are green in summer';
    assert.equal(joined(`So, ${end}`, `${end} and not later.`, 'instruction'), `So, ${end} and not later.`);
    assert.equal(joined('ha ha ', 'ha ha!', 'instruction'), 'ha ha ha ha!');
    assert.equal(joined('| --- | --- ', '| --- |', 'instruction'), '| --- | --- | --- |');
    assert.equal(joined('My ma', 'mas sing', 'instruction'), 'My mamas sing');
    assert.equal(joined('1, 1, 1', ', 1, 1', 'instruction'), '1, 1, 1, 1, 1');
  });

  it('omits a line that opens the current code block again', () => {
    const before = 'So:\n\n```python\ndef grow(plant):\n    ret';
    assert.equal(
      joined(before, '```python\nurn plant\n```\n', 'instruction'),
      `${before}urn plant\n\`\`\`\n`,
    );
    assert.equal(joined(before, 'urn plant\n```\n', 'instruction'), `${before}urn plant\n\`\`\`\n`);
    assert.equal(joined('```\nx\n', '```\nDone.', 'instruction'), '```\nx\n```\nDone.');
  });

  it('delays text only until the next other event, and preserves the order of events', () => {
    const join = new ContinuationJoin('one two three', 'instruction');
    const picture = { type: 'media', choice: 0, mimeType: 'image/png', data: 'AA' } as const;
    assert.deepEqual(join.join([{ type: 'text', choice: 0, text: 'three' }]), []);
    assert.deepEqual(join.join([picture]), [{ type: 'text', choice: 0, text: 'three' }, picture]);
    assert.deepEqual(join.end(), []);
  });

  it('begins with the earlier text, and ends with an end of the continuation', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.integer({ min: 1, max: 9 }), (before, rest, size) => {
        const text = joined(before, rest, 'instruction', size);
        assert.ok(text.startsWith(before));
        assert.ok(rest.endsWith(text.slice(before.length)));
      }),
    );
  });
});
