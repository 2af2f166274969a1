import assert from 'node:assert/strict';
import { hasOnlyWordsOf } from '../../../src/host/kit/sentence.ts';

describe('a repeated message', () => {
  it('is recognised by its words, ignoring case, order and punctuation', () => {
    const known = 'The task was cancelled before it was done (HTTP 400): content_policy_violation.';
    for (const text of [
      'Cancelled',
      'Task was cancelled.',
      'HTTP 400',
      'content policy violation',
      'task!',
      '',
    ])
      assert.equal(hasOnlyWordsOf(text, known), true, text);
    for (const text of ['Not cancelled', 'HTTP 401', 'cancelled by the operator', '已取消'])
      assert.equal(hasOnlyWordsOf(text, known), false, text);
  });
});
