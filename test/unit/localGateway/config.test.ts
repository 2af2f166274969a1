import assert from 'node:assert/strict';
import { ConfigError, parseConfig } from '../../../src/localGateway/config.ts';

describe('configuration of the local gateway', () => {
  const upstream = { name: 'one', kind: 'openai-compatible', baseUrl: 'https://models.example/v1' };
  const parse = (content: unknown) => parseConfig(JSON.stringify(content), 'gateway.json');

  function assertRefused(content: unknown, ...says: readonly RegExp[]): void {
    assert.throws(
      () => parse(content),
      (error) => {
        assert.ok(error instanceof ConfigError);
        assert.match(error.message, /gateway\.json/);
        for (const it of says) assert.match(error.message, it);
        return true;
      },
    );
  }

  it('takes upstreams on https, and on http only where they are on this machine', () => {
    const addresses: readonly (readonly [address: string, good: boolean])[] = [
      ['https://models.example', true],
      ['https://models.example:8443/openai/v1/', true],
      ['http://127.0.0.1:11434/v1', true],
      ['http://127.8.8.8/v1', true],
      ['http://localhost:1234/v1', true],
      ['http://[::1]:1234/v1', true],
      ['http://models.example/v1', false],
      ['http://127.0.0.1.models.example/v1', false],
      ['http://localhost.models.example', false],
      ['http://192.168.1.5:11434/v1', false],
      ['https://user:pass@models.example/v1', false],
      ['https://models.example/v1?key=test', false],
      ['https://models.example/v1#x', false],
      ['ftp://models.example', false],
      ['file:///etc/hosts', false],
      ['models.example/v1', false],
    ];
    for (const [baseUrl, good] of addresses) {
      const content = { upstreams: [{ ...upstream, baseUrl }] };
      if (good) assert.equal(parse(content).upstreams[0]?.baseUrl, baseUrl);
      else assertRefused(content, /upstreams\[0\]\.baseUrl: expected an https address/);
    }
  });

  it('refuses a key in the file, says where keys belong, and does not repeat it', () => {
    const secret = 'test-secret-value';
    const attempts: readonly object[] = [
      { key: secret },
      { apiKey: secret },
      { access_token: secret },
      { headers: { Authorization: `Bearer ${secret}` } },
      { headers: { 'X-Api-Key': secret } },
      { headers: { 'X-Custom': `Bearer ${secret}` } },
      { keyEnv: secret },
      { keyEnv: 'gsk_testsecretvalue' },
    ];
    for (const attempt of attempts) {
      assertRefused(
        { upstreams: [{ ...upstream, ...attempt }] },
        /put the key in an environment variable/,
        /^(?!.*secret)/s,
      );
    }
  });

  it('names every wrong field and what is expected there', () => {
    assertRefused({}, /upstreams: expected an array; it is missing/);
    assertRefused([], /the whole file: expected an object; got an empty array/);
    assertRefused({ upstreams: [] }, /at least 1 element/);
    assertRefused({ upstreams: [upstream], extra: 1 }, /"extra"/);
    assertRefused(
      {
        upstreams: [
          { ...upstream, kind: 'other' },
          { ...upstream, name: 'Two Words', models: [3] },
        ],
      },
      /upstreams\[0\]\.kind: expected "openai-compatible"; got "other"/,
      /upstreams\[1\]\.name: expected 1 to 32 lower-case/,
      /upstreams\[1\]\.models\[0\]: expected a string; got 3/,
    );
  });

  it('refuses names that would make a model id ambiguous', () => {
    assertRefused({ upstreams: [{ ...upstream, name: 'demo' }] }, /taken by the demo models/);
    assertRefused({ upstreams: [upstream, upstream] }, /upstreams\[1\]\.name: this name is already taken/);
  });

  it('refuses headers the gateway sets itself and values no header can carry', () => {
    assertRefused(
      { upstreams: [{ ...upstream, headers: { Host: 'x' } }] },
      /headers\.Host: this header is set/,
    );
    assertRefused({ upstreams: [{ ...upstream, headers: { 'X-A': 'a\r\nb: c' } }] }, /printable ASCII/);
    assertRefused({ upstreams: [{ ...upstream, headers: { 'a b': 'c' } }] }, /letters, digits and hyphens/);
  });

  it('does not quote a file that is not JSON', () => {
    assert.throws(
      () => parseConfig('{"key": test-secret', 'gateway.json'),
      (error) =>
        error instanceof ConfigError && /not JSON/.test(error.message) && !/secret/.test(error.message),
    );
  });
});
