import assert from 'node:assert/strict';
import { contextSum } from '../../../src/webview/words/sizes.ts';

const chip = { id: 'one', name: 'a.ts', icon: 'file' };
const going = { ...chip, size: { bytes: 8, characters: 8, tokens: 2 } };
const gone = { ...chip, problem: '“a.ts” does not exist or cannot be read.' };

describe('the sum below what goes along with a question', () => {
  it('is that of all of it', () => {
    assert.equal(contextSum([going, going]), 'Context, read when you send: 16 characters, about 4 tokens');
  });

  it('is none of a file that is gone, which keeps the question from being sent', () => {
    assert.equal(contextSum([gone]), 'It is missing or cannot be sent: remove it before you send');
    assert.equal(
      contextSum([going, gone]),
      'Context, read when you send: 8 characters, about 2 tokens. 1 of 2 is missing or cannot be sent: remove it before you send',
    );
    assert.equal(
      contextSum([gone, gone]),
      '2 of 2 are missing or cannot be sent: remove them before you send',
    );
  });

  it('is none of what nobody has looked at yet', () => {
    assert.equal(contextSum([chip]), '');
  });
});
