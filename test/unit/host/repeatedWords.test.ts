import assert from 'node:assert/strict';
import { saysNoMore } from '../../../src/host/kit/repeatedWords.ts';

describe('what was said already', () => {
  it('is told from news by its words, whatever their case, order and marks', () => {
    const known = 'The task was cancelled before it was done (HTTP 400): content_policy_violation.';
    for (const text of [
      'Cancelled',
      'Task was cancelled.',
      'HTTP 400',
      'content policy violation',
      'task!',
      '',
    ])
      assert.equal(saysNoMore(text, known), true, text);
    for (const text of ['Not cancelled', 'HTTP 401', 'cancelled by the operator', '已取消'])
      assert.equal(saysNoMore(text, known), false, text);
  });
});
