import assert from 'node:assert/strict';
import { ListFreshness } from '../../../src/host/agents/languageModels/list/listFreshness.ts';

type Services = ConstructorParameters<typeof ListFreshness>[0];
type Connection = Parameters<ListFreshness['ofItself']>[0];

const day = 24 * 60 * 60 * 1000;

/** A gateway that answers when it is told to, and what may be sent to it. */
function world(
  state: { phase?: string; models?: readonly object[]; modelsReadAt?: number } = {},
  may: { kind?: string; wasKept?: boolean; isRunning?: boolean } = {},
) {
  const { kind = 'gateway', wasKept = true, isRunning = false } = may;
  const answered = Promise.withResolvers<void>();
  const seen = { reads: 0 };
  const connection = {
    gateway: { kind },
    state: { phase: 'unasked', models: [], modelsReadAt: undefined, ...state },
    refresh: () => {
      seen.reads += 1;
      return answered.promise;
    },
  } as unknown as Connection;
  const services = {
    connection: { onDidChangeGateways: () => ({ dispose() {} }), find: () => connection },
    credentials: { wasKept: () => wasKept },
    localGateway: { isRunning, isProvided: false },
  } as unknown as Services;
  return { connection, seen, answer: () => answered.resolve(), freshness: new ListFreshness(services) };
}

const known = [{ id: 'a', owner: '' }];

describe('when VS Code’s question for models sends a request', () => {
  it('it is one for all who ask before it is answered, and they wait for it', async () => {
    const { connection, seen, answer, freshness } = world();
    let waiting = 2;
    const asked = [1, 2].map(() => freshness.ofItself(connection).then(() => waiting--));
    await Promise.resolve();
    assert.deepEqual([seen.reads, waiting], [1, 2]);
    answer();
    await Promise.all(asked);
    assert.equal(waiting, 0);
  });

  it('a list of today costs none, and one of another day is not waited for', async () => {
    const today = world({ models: known, modelsReadAt: Date.now() - 1000 });
    await today.freshness.ofItself(today.connection);
    assert.equal(today.seen.reads, 0);
    const old = world({ models: known, modelsReadAt: Date.now() - 2 * day });
    await old.freshness.ofItself(old.connection);
    assert.equal(old.seen.reads, 1);
  });

  it('nothing is sent without a credential, nor where that failed, nor starts the local gateway', async () => {
    for (const { connection, freshness, seen } of [
      world({}, { wasKept: false }),
      world({ phase: 'failed' }),
      world({ phase: 'stopped' }, { kind: 'local' }),
      world({}, { kind: 'local' }),
    ]) {
      await freshness.ofItself(connection);
      assert.equal(seen.reads, 0);
    }
    const running = world({ models: [] }, { kind: 'local', isRunning: true });
    running.answer();
    await running.freshness.ofItself(running.connection);
    assert.equal(running.seen.reads, 1);
  });

  it('the user’s own question always asks', async () => {
    const failed = world({ phase: 'failed', models: known, modelsReadAt: Date.now() });
    failed.answer();
    await failed.freshness.byUser(failed.connection);
    assert.equal(failed.seen.reads, 1);
  });
});
