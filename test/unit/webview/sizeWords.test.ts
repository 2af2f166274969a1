import assert from 'node:assert/strict';
import { describeContext } from '../../../src/webview/words/sizeWords.ts';

const chip = { id: 'one', name: 'a.ts', icon: 'file' };
const present = { ...chip, size: { bytes: 8, characters: 8, tokens: 2 } };
const missing = { ...chip, problem: '“a.ts” does not exist or cannot be read.' };

describe('the context total below a question', () => {
  it('is the sum of all items', () => {
    assert.equal(
      describeContext([present, present]),
      'Context, read when you send: 16 characters, about 4 tokens',
    );
  });

  it('excludes missing files, and reports that they must be removed before sending', () => {
    assert.equal(
      describeContext([missing]),
      'The context is missing or cannot be sent: remove it before you send',
    );
    assert.equal(
      describeContext([present, missing]),
      'Context, read when you send: 8 characters, about 2 tokens. 1 of 2 context items is missing or cannot be sent: remove it before you send',
    );
    assert.equal(
      describeContext([missing, missing]),
      '2 of 2 context items are missing or cannot be sent: remove them before you send',
    );
  });

  it('is empty for items without a known size', () => {
    assert.equal(describeContext([chip]), '');
  });
});
