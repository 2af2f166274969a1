import assert from 'node:assert/strict';
import { KeyRing, type RestingKey } from '../../../../src/localGateway/upstreams/keys/keyRing.ts';
import { createExternalKey } from '../../../../src/localGateway/upstreams/keys/upstreamKey.ts';

describe('the keys of an upstream', () => {
  let now = 0;
  let stored: Record<string, string | undefined> = {};
  let rested: RestingKey[] = [];

  beforeEach(() => {
    now = 0;
    stored = { one: 'value-1', two: 'value-2' };
    rested = [];
  });

  const createRing = (...names: readonly string[]) =>
    new KeyRing(
      names.map((name) => ({ name, source: createExternalKey(() => stored[name]) })),
      { now: () => now, onRest: (resting) => void rested.push(resting) },
    );
  const request = (model?: string, keyName?: string) => ({
    model,
    keyName,
    signal: new AbortController().signal,
  });
  const takeKeyName = async (ring: KeyRing, ...args: Parameters<KeyRing['takeKey']>) =>
    (await ring.takeKey(...args))?.key.name;

  it('P10 rest for the requested time, a day at most, and otherwise for a time by the kind of refusal', async () => {
    for (const [fault, restMs] of [
      [{ status: 429, isForAllModels: false, waitMs: 5_000 }, 5_000],
      [{ status: 429, isForAllModels: false, waitMs: undefined }, 60_000],
      [{ status: 401, isForAllModels: true, waitMs: undefined }, 30 * 60_000],
      [{ status: 429, isForAllModels: false, waitMs: 1e12 }, 24 * 60 * 60_000],
    ] as const) {
      now = 0;
      const ring = createRing('one', 'two');
      const current = await ring.takeKey(request('m'));
      assert.ok(current);
      ring.restKey(current, 'm', fault);
      now = restMs - 1;
      assert.equal(await takeKeyName(ring, request('m')), 'two');
      assert.deepEqual(
        ring.restingKeys.map(({ name, leftMs }) => [name, leftMs]),
        [['one', 1]],
      );
      now = restMs;
      assert.equal(await takeKeyName(ring, request('m')), 'one');
      assert.deepEqual(ring.restingKeys, []);
    }
    assert.equal(rested.length, 4);
  });

  it('rest for one model after a rate limit, and for all models after another refusal', async () => {
    const ring = createRing('one', 'two');
    const current = await ring.takeKey(request('m'));
    assert.ok(current);
    ring.restKey(current, 'm', { status: 429, isForAllModels: false, waitMs: undefined });
    assert.equal(await takeKeyName(ring, request('m')), 'two');
    assert.equal(await takeKeyName(ring, request('n')), 'one');
    ring.restKey(current, 'm', { status: 402, isForAllModels: true, waitMs: undefined });
    assert.equal(await takeKeyName(ring, request('n')), 'two');
  });

  it('rest for all models after a refusal, however many models are limited later', async () => {
    const ring = createRing('one', 'two');
    const current = await ring.takeKey(request('m'));
    assert.ok(current);
    ring.restKey(current, 'm', { status: 401, isForAllModels: true, waitMs: undefined });
    const limit = { status: 429, isForAllModels: false, waitMs: undefined } as const;
    for (let model = 0; model < 600; model += 1) ring.restKey(current, `model-${model}`, limit);
    assert.equal(await takeKeyName(ring, request('n')), 'two');
  });

  it('no longer rest once they have another value, and none is used while all rest', async () => {
    const ring = createRing('one', 'two');
    for (const name of ['one', 'two']) {
      const current = await ring.takeKey(request('m', name));
      assert.ok(current);
      ring.restKey(current, 'm', { status: 401, isForAllModels: true, waitMs: undefined });
    }
    assert.equal(await ring.takeKey(request('m')), undefined);
    stored.two = 'value-3';
    assert.equal(await takeKeyName(ring, request('m')), 'two');
    assert.deepEqual([...ring.values].sort(), ['value-1', 'value-3']);
  });

  it('are used by name for a task, even while they rest, and never replaced by another', async () => {
    const ring = createRing('one', 'two');
    const current = await ring.takeKey(request('m'));
    assert.ok(current);
    ring.restKey(current, 'm', { status: 401, isForAllModels: true, waitMs: undefined });
    assert.equal(await takeKeyName(ring, request('m', 'one')), 'one');
    assert.equal(await ring.takeKey(request('m', 'one'), [current.key]), undefined);
    await assert.rejects(ring.takeKey(request('m', 'gone')), /key 'gone', with which this was made/);
  });

  it('do not rest if there is only one', async () => {
    const ring = createRing('one');
    const current = await ring.takeKey(request('m'));
    assert.ok(current);
    ring.restKey(current, 'm', { status: 401, isForAllModels: true, waitMs: undefined });
    assert.equal(await takeKeyName(ring, request('m')), 'one');
    assert.deepEqual(rested, []);
  });
});
