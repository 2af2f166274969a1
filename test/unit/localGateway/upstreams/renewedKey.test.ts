import assert from 'node:assert/strict';
import { KeyError } from '../../../../src/localGateway/upstreams/keys/keySource.ts';
import { renewedKey } from '../../../../src/localGateway/upstreams/keys/renewedKey.ts';
import { readToken, type Token } from '../../../../src/localGateway/upstreams/keys/token.ts';
import { TestClock } from '../../../support/testClock.ts';

const minute = 60_000;
const { signal } = new AbortController();

describe('a token of an upstream', () => {
  let clock: TestClock;
  /** The requests for a token that are not answered yet. */
  let asked: PromiseWithResolvers<Token>[];
  let loads: number;

  beforeEach(() => {
    clock = new TestClock();
    asked = [];
    loads = 0;
  });

  function key() {
    return renewedKey({
      place: 'that a test gives',
      load() {
        const request = Promise.withResolvers<Token>();
        asked.push(request);
        loads += 1;
        return request.promise;
      },
      unknownLifeMs: 5 * minute,
      clock,
    });
  }

  /** Answers the oldest request. */
  async function give(value: string, lastsMs?: number): Promise<void> {
    asked.shift()?.resolve({ value, ...(lastsMs !== undefined && { endsAt: clock.now() + lastsMs }) });
    await new Promise(setImmediate);
  }

  it('is asked for once, however many wait for it', async () => {
    const source = key();
    const all = Promise.all(Array.from({ length: 100 }, () => source.read(signal)));
    await give('first', 60 * minute);
    assert.deepEqual(new Set(await all), new Set(['first']));
    assert.equal(await source.read(signal), 'first');
    assert.equal(loads, 1);
  });

  it('is renewed before its end, while the old one serves and nobody waits', async () => {
    const source = key();
    const first = source.read(signal);
    await give('first', 60 * minute);
    await first;
    await clock.advance(54 * minute);
    assert.equal(await source.read(signal), 'first');
    assert.equal(loads, 1);
    await clock.advance(2 * minute);
    assert.equal(await source.read(signal), 'first');
    assert.equal(await source.read(signal), 'first');
    assert.equal(loads, 2);
    await give('second', 60 * minute);
    assert.equal(await source.read(signal), 'second');
  });

  it('that has ended, or soon does, is waited for', async () => {
    for (const waited of [60 * minute - 5_000, 90 * minute]) {
      const source = key();
      const first = source.read(signal);
      await give('first', 60 * minute);
      await first;
      // Also when the machine slept, in which no timer runs.
      clock.jump(waited);
      const next = source.read(signal);
      await give('second', 60 * minute);
      assert.equal(await next, 'second');
    }
  });

  it('whose renewal fails serves to its end, and the failure is told after that', async () => {
    const source = key();
    const first = source.read(signal);
    await give('first', 60 * minute);
    await first;
    await clock.advance(57 * minute);
    await source.read(signal);
    asked.shift()?.reject(new KeyError('offline'));
    await new Promise(setImmediate);
    assert.equal(await source.read(signal), 'first');
    await clock.advance(4 * minute);
    const failing = assert.rejects(async () => source.read(signal), /offline/);
    asked.shift()?.reject(new KeyError('offline'));
    await failing;
  });

  it('that cannot be had is not asked for again at once, however many ask', async () => {
    const source = key();
    const failing = assert.rejects(async () => source.read(signal), /offline/);
    asked.shift()?.reject(new KeyError('offline'));
    await failing;
    for (let i = 0; i < 50; i += 1) await assert.rejects(async () => source.read(signal), /offline/);
    assert.equal(loads, 1);
    await clock.advance(3_000);
    const next = source.read(signal);
    await give('second');
    assert.equal(await next, 'second');
  });

  it('without a told end serves for a while, and one that was refused no longer', async () => {
    const source = key();
    const first = source.read(signal);
    await give('first');
    assert.equal(await first, 'first');
    source.refused('another');
    assert.equal(await source.read(signal), 'first');
    source.refused('first');
    const second = source.read(signal);
    await give('second');
    assert.equal(await second, 'second');
    await clock.advance(6 * minute);
    const third = source.read(signal);
    await give('third');
    assert.equal(await third, 'third');
  });

  it('F62 is not waited for by who has gone, and serves the others', async () => {
    const source = key();
    const gone = new AbortController();
    const left = assert.rejects(async () => source.read(gone.signal));
    const stays = source.read(signal);
    gone.abort();
    await left;
    await give('first', 60 * minute);
    assert.equal(await stays, 'first');
    assert.equal(loads, 1);
  });

  it('that ended before it came is told so', async () => {
    const source = key();
    const read = assert.rejects(
      async () => source.read(signal),
      (error: Error) => {
        assert.ok(error instanceof KeyError);
        assert.match(error.message, /the key that a test gives has ended at 2026-09-20T09:59:00\.000Z/);
        assert.doesNotMatch(error.message, /canary/);
        return true;
      },
    );
    await give('canary-token', -minute);
    await read;
  });
});

describe('the text of a token', () => {
  const now = Date.UTC(2026, 8, 20, 10);
  const read = (text: string) => readToken(text, 'its keyFile', now);

  it('is the token alone, or JSON as tools of clouds write it', () => {
    const end = now + 3_600_000;
    const iso = new Date(end).toISOString();
    for (const [text, token] of [
      [' canary-token\r\n', { value: 'canary-token' }],
      ['{"access_token":"t","expires_in":3600,"token_type":"Bearer"}', { value: 't', endsAt: end }],
      ['{"access_token":"t","expires_in":"3600"}', { value: 't', endsAt: end }],
      [`{"credential":{"access_token":"t","token_expiry":"${iso}"}}`, { value: 't', endsAt: end }],
      [`{"accessToken":"t","expiresOn":"soon","expires_on":${end / 1000}}`, { value: 't', endsAt: end }],
      [`{"status":{"token":"t","expirationTimestamp":"${iso}"}}`, { value: 't', endsAt: end }],
      [`{"token":"t","expires_at":${end}}`, { value: 't', endsAt: end }],
      ['{"token":"t","expiry":"never"}', { value: 't' }],
    ] as const) {
      assert.deepEqual(read(text), token, text);
    }
  });

  it('P3 that is none is refused with the reason, and nothing of it is told', () => {
    for (const [text, says] of [
      ['', /holds nothing/],
      ['canary and more', /more than a key on one line/],
      ['canary\ncanary', /more than a key on one line/],
      ['{"canary', /no JSON with an access_token/],
      ['{"id_token":"canary"}', /without an access_token/],
      ['{"type":"service_account","private_key":"canary"}', /the key of an account.*keyCommand/],
      ['{"type":"authorized_user","refresh_token":"canary"}', /the key of an account.*keyCommand/],
    ] as const) {
      assert.throws(
        () => read(text),
        (error: Error) => {
          assert.ok(error instanceof KeyError);
          assert.match(error.message, says);
          assert.match(error.message, /^its keyFile holds/);
          assert.doesNotMatch(error.message, /canary/);
          return true;
        },
      );
    }
  });
});
