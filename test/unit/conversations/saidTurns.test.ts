import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SaidTurn } from '../../../src/conversations/said/saidTurn.ts';
import { SaidTurnStore } from '../../../src/conversations/said/saidTurnStore.ts';
import { SaidTurns } from '../../../src/conversations/said/saidTurns.ts';

const day = 24 * 60 * 60 * 1000;

function turn(id: string): SaidTurn {
  const asked = { gateway: 'g', model: 'm', format: 'messages' as const };
  return { asked, said: [{ type: 'thinking', signature: id }], calls: [{ id, ownId: `own-${id}` }] };
}

describe('what models said', () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'said-'));
    file = join(folder, 'saidTurns.sqlite');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is kept for thirty days, and the newest of what fits', () => {
    const store = new SaidTurnStore(file, 1000);
    store.keep({ id: 'old', turn: 'x' }, 0);
    store.keep({ id: 'young', turn: 'y' }, 29 * day);
    assert.deepEqual(
      store.find(['old', 'young', 'none']).map(({ id }) => id),
      ['old', 'young'],
    );
    store.keep({ id: 'now', turn: 'z' }, 31 * day);
    assert.deepEqual(
      store
        .find(['old', 'young', 'now'])
        .map(({ id }) => id)
        .toSorted(),
      ['now', 'young'],
    );
    for (let nth = 0; nth < 30; nth++) store.keep({ id: `t${nth}`, turn: 'z'.repeat(100) }, 31 * day + nth);
    const left = store.find(Array.from({ length: 30 }, (_, nth) => `t${nth}`)).map(({ id }) => id);
    assert.ok(left.length >= 8 && left.length <= 10, String(left));
    assert.ok(left.includes('t29'));
    store.close();
  });

  it('is found by another window over the same file, and looked for once', async () => {
    const open = () => {
      const store = new SaidTurnStore(file);
      let asked = 0;
      const memory = new SaidTurns(
        {
          keep: async (each) => store.keep(each, Date.now()),
          find: async (ids) => {
            asked += ids.length;
            return store.find(ids);
          },
        },
        (error) => assert.fail(String(error)),
      );
      return { memory, store, asked: () => asked };
    };
    const [one, other] = [open(), open()];
    one.memory.keep('a', turn('a'));
    assert.deepEqual(one.memory.find(['a']), new Map([['a', turn('a')]]), 'at once, from memory');
    await one.memory.settled();
    assert.deepEqual(await other.memory.find(['a', 'b']), new Map([['a', turn('a')]]));
    assert.deepEqual(other.memory.find(['a', 'b']), new Map([['a', turn('a')]]));
    assert.equal(other.asked(), 2);
    for (const { store } of [one, other]) store.close();
  });

  it('is missing, and nothing worse, where it cannot be stored or read', async () => {
    const errors: unknown[] = [];
    const failing = async () => {
      throw new Error('no disk');
    };
    const memory = new SaidTurns({ keep: failing, find: failing }, (error) => errors.push(error));
    memory.keep('a', turn('a'));
    assert.equal((await memory.find(['a', 'b'])).size, 1);
    await memory.settled();
    assert.equal(errors.length, 2);
  });
});
