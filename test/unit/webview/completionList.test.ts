import assert from 'node:assert/strict';
import { findCompletionWord } from '../../../src/webview/chat/composer/completionList.ts';

const triggers = [
  { character: '#', where: 'word' },
  { character: '/', where: 'start' },
] as const;

describe('the completed word of the message box', () => {
  const findAt = (text: string, caret = text.length) => findCompletionWord(text, caret, triggers);

  it('starts with a trigger, at the start or after white space', () => {
    assert.deepEqual(findAt('#a'), { trigger: '#', query: 'a', start: 0, end: 2 });
    assert.deepEqual(findAt('see\n#src/a.ts'), { trigger: '#', query: 'src/a.ts', start: 4, end: 13 });
    assert.deepEqual(findAt('#'), { trigger: '#', query: '', start: 0, end: 1 });
    for (const text of ['', 'a', 'a#b', '# ', 'C# is', '(#a']) assert.equal(findAt(text), undefined, text);
  });

  it('starts with a start trigger only as the first character', () => {
    assert.deepEqual(findAt('/fix'), { trigger: '/', query: 'fix', start: 0, end: 4 });
    for (const text of [' /fix', 'a /fix', '\n/fix']) assert.equal(findAt(text), undefined, text);
  });

  it('ends at the caret', () => {
    assert.deepEqual(findAt('#abc def', 3), { trigger: '#', query: 'ab', start: 0, end: 3 });
    assert.equal(findAt('#abc', 0), undefined);
  });

  it('is at most as long as the host accepts', () => {
    assert.equal(findAt(`x #${'a'.repeat(200)}`)?.query.length, 200);
    assert.equal(findAt(`x #${'a'.repeat(201)}`), undefined);
    assert.equal(findAt(`#${'a'.repeat(400)}`), undefined);
  });
});
