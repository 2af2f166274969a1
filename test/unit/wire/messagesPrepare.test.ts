import assert from 'node:assert/strict';
import { prepareMessages } from '../../../src/wire/apis/messages/format.ts';

const request = { model: 'm', messages: [{ role: 'user' as const, content: 'Hello' }], max_tokens: 9 };
const version = 'tag-2023-10-16';
const preset = (name: 'interface' | 'provider') => ({ preset: name });

describe('the version of a messages request', () => {
  it('is a header if the body has no version', () => {
    for (const headers of [undefined, preset('interface'), preset('provider')]) {
      const { vendorHeaders, body } = prepareMessages(request, { path: '/v1/messages', headers });
      assert.deepEqual(vendorHeaders, { vendorVersion: '2023-06-01' });
      assert.deepEqual(body, request);
    }
  });

  for (const [name, field] of [
    ['interface', 'vendor_version'],
    ['provider', 'anthropic_version'],
  ] as const) {
    it(`is ${field} in the body with the header preset ${name}, without a version header`, () => {
      for (const path of ['/v1/messages', '/models/{model}:rawPredict']) {
        const { vendorHeaders, body } = prepareMessages(
          { ...request, vendor_version: version },
          { path, betas: ['b'], headers: preset(name) },
        );
        assert.deepEqual(vendorHeaders, { vendorBeta: 'b' });
        const versionFields = Object.entries(body ?? {}).filter(([key]) => key.endsWith('_version'));
        assert.deepEqual(versionFields, [[field, version]]);
      }
    });
  }

  it('is not sent as a header if the body has the provider’s version field', () => {
    const own = { ...request, anthropic_version: 'vertex-2023-10-16' };
    for (const headers of [undefined, preset('provider')]) {
      const { vendorHeaders, body } = prepareMessages(own, { path: '/v1/messages', headers });
      assert.deepEqual([vendorHeaders, body], [{}, own]);
    }
  });
});

describe('the model of a messages request', () => {
  it('is in the path if the path has a place for it, and is empty there if it is not text', () => {
    const path = '/models/{model}:rawPredict';
    assert.deepEqual(prepareMessages(request, { path }).params, { model: 'm' });
    const body = { ...request, model: JSON.parse('{"toString":1}') };
    assert.deepEqual(prepareMessages(body, { path }).params, { model: '' });
  });
});
