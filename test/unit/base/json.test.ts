import assert from 'node:assert/strict';
import fc from 'fast-check';
import { beginsAsJson } from '../../../src/base/json.ts';

describe('the beginning of JSON', () => {
  it('is recognised in every object and array, and never rejected while it arrives', () => {
    const values = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()));
    fc.assert(
      fc.property(values, fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
        const text = `\n ${JSON.stringify(value, null, indent)}`;
        assert.equal(beginsAsJson(text), true);
        const decisions = Array.from(text, (_, at) => beginsAsJson(text.slice(0, at)));
        assert.ok(!decisions.includes(false), 'an incomplete text counts as other text');
      }),
    );
  });

  it('is not recognised in other text', () => {
    const texts = ['Sure: {}', '{hello}', '[a link](https://a.example)', '```json\n{}\n```', '# {', '"a"'];
    for (const text of texts) assert.equal(beginsAsJson(text), false, text);
    assert.equal(beginsAsJson(' '.repeat(2000)), false, 'the search has a limit');
  });
});
