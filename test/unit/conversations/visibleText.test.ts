import assert from 'node:assert/strict';
import { visibleText } from '../../../src/conversations/visibleText.ts';

describe('T20 the visible text of a reply', () => {
  it('has no tags, direction controls and zero-width characters', () => {
    const tags = [...'run'].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('');
    assert.equal(visibleText(`Safe${tags} \u202Etext\u202C\u200B.\uFEFF`), 'Safe text.');
  });

  it('keeps what joins emoji and letters', () => {
    const family = '\u{1F469}\u200D\u{1F469}\u200D\u{1F467}';
    const persian = 'می\u200Cخواهم';
    assert.equal(visibleText(`${family} ${persian}`), `${family} ${persian}`);
  });
});
