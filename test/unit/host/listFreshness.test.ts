import assert from 'node:assert/strict';
import { ListFreshness } from '../../../src/host/agents/languageModels/list/listFreshness.ts';

type Services = ConstructorParameters<typeof ListFreshness>[0];
type Connection = Parameters<ListFreshness['refreshIfNeeded']>[0];

const day = 24 * 60 * 60 * 1000;

/** A gateway that replies when the test lets it, and the conditions for requests to it. */
function createGateway(
  state: { phase?: string; models?: readonly object[]; modelsReadAt?: number } = {},
  may: { kind?: string; wasStored?: boolean; isRunning?: boolean } = {},
) {
  const { kind = 'gateway', wasStored = true, isRunning = false } = may;
  const released = Promise.withResolvers<void>();
  const seen = { reads: 0 };
  const connection = {
    gateway: { kind },
    state: { phase: 'idle', models: [], modelsReadAt: undefined, ...state },
    refresh: () => {
      seen.reads += 1;
      return released.promise;
    },
  } as unknown as Connection;
  const services = {
    connection: { onDidChangeGateways: () => ({ dispose() {} }), find: () => connection },
    credentials: { wasStored: () => wasStored },
    localGateway: { isRunning, isProvided: false },
  } as unknown as Services;
  return { connection, seen, respond: () => released.resolve(), freshness: new ListFreshness(services) };
}

const known = [{ id: 'a', owner: '' }];

describe('the model list of a gateway', () => {
  it('is requested once for concurrent calls of VS Code, which all wait for it', async () => {
    const { connection, seen, respond, freshness } = createGateway();
    let waiting = 2;
    const refreshes = [1, 2].map(() => freshness.refreshIfNeeded(connection).then(() => waiting--));
    await Promise.resolve();
    assert.deepEqual([seen.reads, waiting], [1, 2]);
    respond();
    await Promise.all(refreshes);
    assert.equal(waiting, 0);
  });

  it('is not requested again on the same day, and later without waiting for it', async () => {
    const today = createGateway({ models: known, modelsReadAt: Date.now() - 1000 });
    await today.freshness.refreshIfNeeded(today.connection);
    assert.equal(today.seen.reads, 0);
    const old = createGateway({ models: known, modelsReadAt: Date.now() - 2 * day });
    await old.freshness.refreshIfNeeded(old.connection);
    assert.equal(old.seen.reads, 1);
  });

  it('is not requested without a credential, after a failure, or from a stopped local gateway', async () => {
    for (const { connection, freshness, seen } of [
      createGateway({}, { wasStored: false }),
      createGateway({ phase: 'failed' }),
      createGateway({ phase: 'stopped' }, { kind: 'local' }),
      createGateway({}, { kind: 'local' }),
    ]) {
      await freshness.refreshIfNeeded(connection);
      assert.equal(seen.reads, 0);
    }
    const running = createGateway({ models: [] }, { kind: 'local', isRunning: true });
    running.respond();
    await running.freshness.refreshIfNeeded(running.connection);
    assert.equal(running.seen.reads, 1);
  });

  it('is always requested when the user refreshes it', async () => {
    const failed = createGateway({ phase: 'failed', models: known, modelsReadAt: Date.now() });
    failed.respond();
    await failed.freshness.refreshForUser(failed.connection);
    assert.equal(failed.seen.reads, 1);
  });
});
