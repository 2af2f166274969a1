import assert from 'node:assert/strict';
import { type ExpiringKey, readExpiringKey } from '../../../src/base/node/expiringKey.ts';
import { KeyError } from '../../../src/base/node/keySource.ts';
import { createRenewedKey } from '../../../src/base/node/renewedKey.ts';
import { TestClock } from '../../support/testClock.ts';

const minute = 60_000;
const { signal } = new AbortController();

describe('a token of an upstream', () => {
  let clock: TestClock;
  /** The requests for a token that are not answered yet. */
  let pendingRequests: PromiseWithResolvers<ExpiringKey>[];
  let loads: number;

  beforeEach(() => {
    clock = new TestClock();
    pendingRequests = [];
    loads = 0;
  });

  function createKey() {
    return createRenewedKey({
      location: 'that a test gives',
      load() {
        const request = Promise.withResolvers<ExpiringKey>();
        pendingRequests.push(request);
        loads += 1;
        return request.promise;
      },
      defaultLifetimeMs: 5 * minute,
      clock,
    });
  }

  /** Answers the oldest request. */
  async function answerRequest(value: string, lastsMs?: number): Promise<void> {
    pendingRequests
      .shift()
      ?.resolve({ value, ...(lastsMs !== undefined && { endsAt: clock.now() + lastsMs }) });
    await new Promise(setImmediate);
  }

  it('is requested once for several readers', async () => {
    const source = createKey();
    const all = Promise.all(Array.from({ length: 100 }, () => source.read(signal)));
    await answerRequest('first', 60 * minute);
    assert.deepEqual(new Set(await all), new Set(['first']));
    assert.equal(await source.read(signal), 'first');
    assert.equal(loads, 1);
  });

  it('is renewed before it expires, without waiting', async () => {
    const source = createKey();
    const first = source.read(signal);
    await answerRequest('first', 60 * minute);
    await first;
    await clock.advance(54 * minute);
    assert.equal(await source.read(signal), 'first');
    assert.equal(loads, 1);
    await clock.advance(2 * minute);
    assert.equal(await source.read(signal), 'first');
    assert.equal(await source.read(signal), 'first');
    assert.equal(loads, 2);
    await answerRequest('second', 60 * minute);
    assert.equal(await source.read(signal), 'second');
  });

  it('is awaited if the old one has expired or expires soon', async () => {
    for (const waited of [60 * minute - 5_000, 90 * minute]) {
      const source = createKey();
      const first = source.read(signal);
      await answerRequest('first', 60 * minute);
      await first;
      // Also after the machine slept, because timers do not run during sleep.
      clock.jump(waited);
      const next = source.read(signal);
      await answerRequest('second', 60 * minute);
      assert.equal(await next, 'second');
    }
  });

  it('is used until it expires if its renewal fails, and the failure is reported after that', async () => {
    const source = createKey();
    const first = source.read(signal);
    await answerRequest('first', 60 * minute);
    await first;
    await clock.advance(57 * minute);
    await source.read(signal);
    pendingRequests.shift()?.reject(new KeyError('offline'));
    await new Promise(setImmediate);
    assert.equal(await source.read(signal), 'first');
    await clock.advance(4 * minute);
    const failing = assert.rejects(async () => source.read(signal), /offline/);
    pendingRequests.shift()?.reject(new KeyError('offline'));
    await failing;
  });

  it('is not requested again immediately after a failure', async () => {
    const source = createKey();
    const failing = assert.rejects(async () => source.read(signal), /offline/);
    pendingRequests.shift()?.reject(new KeyError('offline'));
    await failing;
    for (let i = 0; i < 50; i += 1) await assert.rejects(async () => source.read(signal), /offline/);
    assert.equal(loads, 1);
    await clock.advance(3_000);
    const next = source.read(signal);
    await answerRequest('second');
    assert.equal(await next, 'second');
  });

  it('is used for a few minutes without an expiry time, and not after it was refused', async () => {
    const source = createKey();
    const first = source.read(signal);
    await answerRequest('first');
    assert.equal(await first, 'first');
    source.reportRefused('another');
    assert.equal(await source.read(signal), 'first');
    source.reportRefused('first');
    const second = source.read(signal);
    await answerRequest('second');
    assert.equal(await second, 'second');
    await clock.advance(6 * minute);
    const third = source.read(signal);
    await answerRequest('third');
    assert.equal(await third, 'third');
  });

  it('F62 is not awaited by an aborted reader, and is returned to the others', async () => {
    const source = createKey();
    const aborted = new AbortController();
    const cancelled = assert.rejects(async () => source.read(aborted.signal));
    const stays = source.read(signal);
    aborted.abort();
    await cancelled;
    await answerRequest('first', 60 * minute);
    assert.equal(await stays, 'first');
    assert.equal(loads, 1);
  });

  it('is rejected if it has already expired', async () => {
    const source = createKey();
    const read = assert.rejects(
      async () => source.read(signal),
      (error: Error) => {
        assert.ok(error instanceof KeyError);
        assert.match(error.message, /the key that a test gives expired at 2026-09-20T09:59:00\.000Z/);
        assert.doesNotMatch(error.message, /canary/);
        return true;
      },
    );
    await answerRequest('canary-token', -minute);
    await read;
  });
});

describe('the text of a token', () => {
  const now = Date.UTC(2026, 8, 20, 10);
  const read = (text: string) => readExpiringKey(text, 'its keyFile', now);

  it('is the token itself, or JSON of cloud tools', () => {
    const end = now + 3_600_000;
    const iso = new Date(end).toISOString();
    const jwt = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;
    const ending = jwt({ exp: end / 1000 });
    const endingInText = jwt({ exp: String(end / 1000) });
    for (const [text, token] of [
      [' canary-token\r\n', { value: 'canary-token' }],
      ['{"access_token":"t","expires_in":3600,"token_type":"Bearer"}', { value: 't', endsAt: end }],
      ['{"access_token":"t","expires_in":"3600"}', { value: 't', endsAt: end }],
      [`{"credential":{"access_token":"t","token_expiry":"${iso}"}}`, { value: 't', endsAt: end }],
      [`{"accessToken":"t","expiresOn":"soon","expires_on":${end / 1000}}`, { value: 't', endsAt: end }],
      [`{"status":{"token":"t","expirationTimestamp":"${iso}"}}`, { value: 't', endsAt: end }],
      [`{"token":"t","expires_at":${end}}`, { value: 't', endsAt: end }],
      ['{"token":"t","expiry":"never"}', { value: 't' }],
      ['{"token":"t","expires_in":null}', { value: 't' }],
      ['{"token":"t","expires_in":""}', { value: 't' }],
      ['{"token":"t","expires_in":-1e300,"expires_at":1e300}', { value: 't' }],
      ['{"token":"t","expires_at":"-1e300"}', { value: 't' }],
      [`{"token":"t","expires_in":"1h","expiry":"${iso}"}`, { value: 't', endsAt: end }],
      [`{"token":"t","expiration":"${iso}"}`, { value: 't', endsAt: end }],
      [`{"accessToken":"t","expiresOn":"${iso.replace('Z', '000Z')}"}`, { value: 't', endsAt: end }],
      ['{"access_token":"t","expiry":"0001-01-01T00:00:00Z"}', { value: 't' }],
      ['{"access_token":"t","expires_at":0}', { value: 't' }],
      [ending, { value: ending, endsAt: end }],
      [endingInText, { value: endingInText, endsAt: end }],
      [`{"token":"${ending}"}`, { value: ending, endsAt: end }],
      [`{"token":"${ending}","expires_in":60}`, { value: ending, endsAt: now + 60_000 }],
      [jwt({ exp: 'soon' }), { value: jwt({ exp: 'soon' }) }],
      [jwt({ exp: 1e300 }), { value: jwt({ exp: 1e300 }) }],
      ['a.!.c', { value: 'a.!.c' }],
    ] as const) {
      assert.deepEqual(read(text), token, text);
    }
  });

  it('P3 is rejected with a reason that does not quote it if it does not contain a token', () => {
    for (const [text, pattern] of [
      ['', /is empty/],
      ['canary and more', /neither a key on one line/],
      ['canary\ncanary', /neither a key on one line/],
      ['{"canary', /nor JSON with an access_token/],
      ['{"id_token":"canary"}', /without an access_token/],
      ['{"type":"service_account","private_key":"canary"}', /the key of an account.*keyCommand/],
      ['{"type":"authorized_user","refresh_token":"canary"}', /the key of an account.*keyCommand/],
    ] as const) {
      assert.throws(
        () => read(text),
        (error: Error) => {
          assert.ok(error instanceof KeyError);
          assert.match(error.message, pattern);
          assert.match(error.message, /^its keyFile (?:is|contains) /);
          assert.doesNotMatch(error.message, /canary/);
          return true;
        },
      );
    }
  });
});
