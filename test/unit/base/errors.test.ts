import assert from 'node:assert/strict';
import { errorCode, errorTrace } from '../../../src/base/errors.ts';

describe('a thrown value', () => {
  it('is logged with its stack trace and its causes', () => {
    assert.match(errorTrace(new Error('no')), /^Error: no\n +at /);
    assert.equal(errorTrace(Object.assign(new Error('no'), { stack: undefined })), 'no');
    assert.equal(errorTrace(7), '7');
    assert.equal(errorTrace({ reason: 'no' }), '{"reason":"no"}');
    const failed = new TypeError('fetch failed', { cause: new Error('no way there') });
    assert.match(errorTrace(failed), /^TypeError: fetch failed\n[\s\S]*\ncaused by Error: no way there\n/);
  });

  it('has a code only if it is an error whose code is a string', () => {
    assert.equal(errorCode(Object.assign(new Error('full'), { code: 'ENOSPC' })), 'ENOSPC');
    for (const other of [
      new Error('no'),
      Object.assign(new Error('no'), { code: 7 }),
      { code: 'ENOSPC' },
      null,
    ])
      assert.equal(errorCode(other), undefined);
  });
});
