import assert from 'node:assert/strict';
import {
  type CredentialAccess,
  digestCredential,
  GatewayCredentials,
} from '../../../../src/localGateway/config/gatewayCredentials.ts';

describe('credentials of the local gateway', () => {
  let now = 0;
  const credentialConfig = (name: string, more: object = {}) => ({
    name,
    sha256: digestCredential(`credential of ${name}`).toString('hex'),
    ...more,
  });
  function credentials(...all: readonly ReturnType<typeof credentialConfig>[]): GatewayCredentials {
    const credentials = new GatewayCredentials('the own credential', () => now);
    credentials.setNamed(all);
    return credentials;
  }
  const found = (all: GatewayCredentials, name: string): CredentialAccess => {
    const access = all.find(`credential of ${name}`);
    assert.ok(access);
    return access;
  };

  it('are recognized by name, and unknown credentials are rejected', () => {
    const all = credentials(credentialConfig('ci'), credentialConfig('tool'));
    assert.equal(all.find('the own credential')?.name, undefined);
    assert.ok(all.find('the own credential'));
    assert.equal(found(all, 'ci').name, 'ci');
    assert.equal(found(all, 'tool').name, 'tool');
    for (const wrong of ['', 'credential of', 'credential of c', credentialConfig('ci').sha256]) {
      assert.equal(all.find(wrong), undefined);
    }
  });

  it('are found after their end, and are marked as expired from that moment on', () => {
    const end = Date.parse('2027-01-31T18:00:00Z');
    const all = credentials(
      credentialConfig('ci', { expires: '2027-01-31T18:00:00Z' }),
      credentialConfig('tool'),
    );
    const { now: wallClock } = Date;
    try {
      Date.now = () => end - 1;
      assert.equal(found(all, 'ci').expiredAt, undefined);
      Date.now = () => end;
      assert.equal(found(all, 'ci').expiredAt, end);
      assert.equal(found(all, 'tool').expiredAt, undefined);
      assert.equal(all.find('the own credential')?.expiredAt, undefined);
    } finally {
      Date.now = wallClock;
    }
  });

  it('allow the models that match their patterns, or all models without patterns', () => {
    const all = credentials(
      credentialConfig('ci', { models: ['team/small*', 'other'] }),
      credentialConfig('tool'),
    );
    const allowed = (name: string) =>
      ['team/small-2', 'team/large', 'other', 'another'].filter((model) => found(all, name).allows(model));
    assert.deepEqual(allowed('ci'), ['team/small-2', 'other']);
    assert.deepEqual(allowed('tool').length, 4);
    assert.ok(all.find('the own credential')?.allows('team/large'));
  });

  it('are limited in concurrent requests and in requests per minute', () => {
    const all = credentials(credentialConfig('ci', { requestsPerMinute: 3, concurrentRequests: 2 }));
    const ci = found(all, 'ci');
    const begin = () => {
      const begun = ci.begin();
      return 'end' in begun ? begun.end : begun.waitMs;
    };
    const [first, second] = [begin(), begin()];
    assert.equal(begin(), 1_000, 'a third at once');
    assert.ok(typeof first === 'function' && typeof second === 'function');
    first();
    first();
    now += 10_000;
    const third = begin();
    assert.ok(typeof third === 'function');
    assert.equal(begin(), 1_000, 'ending twice counts once');
    second();
    third();
    assert.equal(begin(), 50_000);
    now += 50_000;
    assert.equal(typeof begin(), 'function');
  });

  it('keep their used requests when the configuration is reloaded', () => {
    const all = credentials(credentialConfig('ci', { requestsPerMinute: 1 }));
    assert.ok('end' in found(all, 'ci').begin());
    all.setNamed([credentialConfig('ci', { requestsPerMinute: 1, models: ['a'] })]);
    assert.ok('waitMs' in found(all, 'ci').begin());
    assert.equal(found(all, 'ci').allows('b'), false);
    all.setNamed([]);
    assert.equal(all.find('credential of ci'), undefined);
  });

  it('include the gateway’s own credential, which has no limits', () => {
    const own = credentials().find('the own credential');
    for (let i = 0; i < 1_000; i++) assert.ok(own && 'end' in own.begin());
  });
});
