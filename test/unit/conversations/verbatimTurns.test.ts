import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VerbatimTurnStore } from '../../../src/conversations/verbatim/verbatimTurnStore.ts';
import { type VerbatimTurn, VerbatimTurns } from '../../../src/conversations/verbatim/verbatimTurns.ts';

const day = 24 * 60 * 60 * 1000;

function turn(id: string): VerbatimTurn {
  const request = { gateway: 'g', model: 'm', format: 'messages' as const };
  return {
    turnModel: request,
    verbatim: [{ type: 'thinking', signature: id }],
    calls: [{ id, ownId: `own-${id}` }],
  };
}

describe('stored turns of models', () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'turns-'));
    file = join(folder, 'verbatimTurns.sqlite');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('are stored for thirty days, up to a size limit', () => {
    const store = new VerbatimTurnStore(file, 1000);
    store.add({ id: 'old', turn: 'x' }, 0);
    store.add({ id: 'young', turn: 'y' }, 29 * day);
    assert.deepEqual(
      store.find(['old', 'young', 'none']).map(({ id }) => id),
      ['old', 'young'],
    );
    store.add({ id: 'now', turn: 'z' }, 31 * day);
    assert.deepEqual(
      store
        .find(['old', 'young', 'now'])
        .map(({ id }) => id)
        .toSorted(),
      ['now', 'young'],
    );
    for (let nth = 0; nth < 30; nth++) store.add({ id: `t${nth}`, turn: 'z'.repeat(100) }, 31 * day + nth);
    const remaining = store.find(Array.from({ length: 30 }, (_, nth) => `t${nth}`)).map(({ id }) => id);
    assert.ok(remaining.length >= 8 && remaining.length <= 10, String(remaining));
    assert.ok(remaining.includes('t29'));
    store.close();
  });

  it('are found by another window with the same file, and looked up once', async () => {
    const open = () => {
      const store = new VerbatimTurnStore(file);
      let requestCount = 0;
      const memory = new VerbatimTurns(
        {
          add: async (each) => store.add(each, Date.now()),
          find: async (ids) => {
            requestCount += ids.length;
            return store.find(ids);
          },
        },
        (error) => assert.fail(String(error)),
      );
      return { memory, store, requestCount: () => requestCount };
    };
    const [one, other] = [open(), open()];
    one.memory.add('a', turn('a'));
    assert.deepEqual(one.memory.find(['a']), new Map([['a', turn('a')]]), 'at once, from memory');
    assert.deepEqual(await other.memory.find(['a', 'b']), new Map([['a', turn('a')]]));
    assert.deepEqual(other.memory.find(['a', 'b']), new Map([['a', turn('a')]]));
    assert.equal(other.requestCount(), 2);
    for (const { store } of [one, other]) store.close();
  });

  it('are returned from memory if they cannot be stored or read, and errors are reported', async () => {
    const errors: unknown[] = [];
    const failing = async () => {
      throw new Error('no disk');
    };
    const memory = new VerbatimTurns({ add: failing, find: failing }, (error) => errors.push(error));
    memory.add('a', turn('a'));
    assert.equal((await memory.find(['a', 'b'])).size, 1);
    assert.equal(errors.length, 2);
  });
});
