import assert from 'node:assert/strict';
import { extractTitle } from '../../../src/host/chat/titles/titleText.ts';

describe('a title written by a model', () => {
  for (const [written, title] of [
    ['Bread for beginners', 'Bread for beginners'],
    ['"Bread for Beginners."', 'Bread for Beginners'],
    ['“Bread for Beginners”\n\nI hope that helps!', 'Bread for Beginners'],
    ['\n\n## **Title:** Bread `for` *Beginners*\n', 'Bread for Beginners'],
    ['Title: 「パンの作り方」', 'パンの作り方'],
    ['<think>What is it?\nBread.</think>\nBread', 'Bread'],
    ['- [Bread](https://hostile.example/x) and $(zap) it', 'Bread and $(zap) it'],
    ['```text\nBread\n```', 'Bread'],
    ['snake_case and 2 * 3', 'snake_case and 2 * 3'],
    ['C++ and C#', 'C++ and C#'],
    ['Bre\u200bad\u202e\u0007', 'Bread'],
    ['It’s Node.js', 'It’s Node.js'],
  ] as const) {
    it(`is ${title} for ${JSON.stringify(written)}`, () => {
      assert.equal(extractTitle(written), title);
    });
  }

  it('is undefined if there are no words', () => {
    for (const written of ['', ' \n', '"', '***', '<think>It goes on', '#', '…']) {
      assert.equal(extractTitle(written), undefined, written);
    }
  });

  it('is short for any text of the model', () => {
    for (const written of [
      'word '.repeat(2_000),
      'x'.repeat(10_000),
      '漢'.repeat(10_000),
      '🎉a'.repeat(5_000),
    ]) {
      const title = extractTitle(written) ?? '';
      assert.ok(title.length > 0 && title.length <= 80, title);
      assert.ok(title.isWellFormed());
    }
    assert.equal(extractTitle(`${'word '.repeat(30)}end`), `${'word '.repeat(16).trim()}…`);
  });
});
