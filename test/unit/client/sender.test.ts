import assert from 'node:assert/strict';
import { readModelName } from '../../../src/client/sender.ts';

describe('the model name of a request', () => {
  it('is read from the path or the body, never from a message', () => {
    const body = '{"messages":[{"content":"\\"model\\":\\"quoted\\""}],"model":"named"}';
    assert.equal(readModelName({ body }), 'named');
    assert.equal(readModelName({ body: '{"messages":[]}' }), undefined);
    assert.equal(readModelName({}), undefined);
    assert.equal(readModelName({ params: { model: 'google/gemini' }, body }), 'google/gemini');
  });
});
