import assert from 'node:assert/strict';
import { askedModel } from '../../../src/client/send.ts';

describe('the model that a request names', () => {
  it('is that of the path or of the body, never what was said', () => {
    const body = '{"messages":[{"content":"\\"model\\":\\"said\\""}],"model":"asked"}';
    assert.equal(askedModel({ body }), 'asked');
    assert.equal(askedModel({ body: '{"messages":[]}' }), undefined);
    assert.equal(askedModel({}), undefined);
    assert.equal(askedModel({ params: { model: 'google/gemini' }, body }), 'google/gemini');
  });
});
