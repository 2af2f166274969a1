import assert from 'node:assert/strict';
import { modelOfCall } from '../../../src/client/sender.ts';

describe('the model that a request names', () => {
  it('is read from the path or the body, never from a message', () => {
    const body = '{"messages":[{"content":"\\"model\\":\\"said\\""}],"model":"asked"}';
    assert.equal(modelOfCall({ body }), 'asked');
    assert.equal(modelOfCall({ body: '{"messages":[]}' }), undefined);
    assert.equal(modelOfCall({}), undefined);
    assert.equal(modelOfCall({ params: { model: 'google/gemini' }, body }), 'google/gemini');
  });
});
