import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { StorageError } from '../../../../src/storage/database.ts';
import { type SpendingLimit, toBillionths } from '../../../../src/storage/spending/spendingLimit.ts';
import { SpendingStore } from '../../../../src/storage/spending/spendingStore.ts';
import { DatabaseFolder } from '../../../support/databaseFolder.ts';

const dollar = toBillionths(1) ?? 0;
const perDay: SpendingLimit = { name: 'day', per: 'day', allowed: 10 * dollar, currency: 'USD' };
const perMonth: SpendingLimit = { ...perDay, name: 'month', per: 'month', allowed: 20 * dollar };
const ofTokens: SpendingLimit = { name: 'tokens', per: 'day', allowed: 1_000 };

function spent(dollars: number, tokens = 100) {
  return { amount: dollars * dollar, currency: 'USD', tokens };
}

function planned(dollars: number, initiator = 'chats', gateway = 'g') {
  return { gateway, initiator, least: spent(dollars), most: spent(dollars) };
}

describe('P17 the counted requests', () => {
  let folder: DatabaseFolder;
  let stores: SpendingStore[];
  let now: number;

  beforeEach(() => {
    folder = new DatabaseFolder();
    stores = [];
    now = new Date(2030, 0, 15, 12).getTime();
  });

  afterEach(() => {
    for (const store of stores) store.close();
    folder.remove();
  });

  function open(): SpendingStore {
    const store = new SpendingStore(folder.file(), () => now);
    stores.push(store);
    return store;
  }

  /** Sends requests of one dollar until a limit refuses. */
  function fill(store: SpendingStore, limits: readonly SpendingLimit[], name = 'r'): number {
    for (let count = 0; ; count++) {
      const request = planned(1);
      if (store.reserve(`${name}${count}`, request, limits)) return count;
      store.settle(`${name}${count}`, spent(1), request);
    }
  }

  it('of two windows pass a limit for ten only ten times when 100 come at once', () => {
    const windows = [open(), open()];
    const refusals = Array.from({ length: 100 }, (_, index) =>
      windows[index % 2]?.reserve(`request ${index}`, planned(1), [perDay]),
    );
    assert.equal(refusals.filter((refusal) => refusal === undefined).length, 10);
    assert.equal(refusals.at(-1)?.why, 'reserved');
    assert.deepEqual(windows[0]?.uses([perDay])[0]?.reserved, 10 * dollar);
  });

  it('make room when they cost less than their maximum, or nothing', () => {
    const store = open();
    for (let index = 0; index < 10; index++) store.reserve(`r${index}`, planned(1), [perDay]);
    store.settle('r0', undefined, planned(1));
    store.settle('r1', spent(0.5), planned(1));
    assert.equal(store.reserve('next', planned(1), [perDay]), undefined);
    assert.equal(store.reserve('another', planned(1), [perDay])?.why, 'reserved');
    const [use] = store.uses([perDay]);
    assert.deepEqual([use?.used, use?.reserved], [dollar / 2, 9 * dollar]);
  });

  it('stay counted with their maximum when their window dies, and later count as used', () => {
    open().reserve('lost', planned(10), [perDay]);
    stores[0]?.close();
    const next = open();
    assert.equal(next.reserve('next', planned(1), [perDay])?.why, 'reserved');
    now += 3_600_000;
    const refused = next.reserve('next', planned(1), [perDay]);
    assert.deepEqual([refused?.why, refused?.use.used, refused?.use.reserved], ['reached', 10 * dollar, 0]);
  });

  it('are counted by day and month through a year of clock', () => {
    const store = open();
    const counts: number[] = [];
    for (let month = 0; month < 12; month++) {
      for (const day of [1, 2, 3, 28]) {
        now = new Date(2030, month, day, 23, 59, 59).getTime();
        counts.push(fill(store, [perDay, perMonth], `${month} ${day} `));
      }
    }
    assert.deepEqual(counts, Array.from({ length: 12 }, () => [10, 10, 0, 0]).flat());
  });

  it('count for the day on which they were sent', () => {
    const store = open();
    now = new Date(2030, 0, 31, 23, 59).getTime();
    store.reserve('r', planned(1), [perDay]);
    now = new Date(2030, 1, 1, 0, 1).getTime();
    store.settle('r', spent(1), planned(1));
    assert.equal(store.uses([perMonth])[0]?.used, 0);
    now = new Date(2030, 0, 31, 23, 59).getTime();
    assert.equal(store.uses([perMonth])[0]?.used, dollar);
  });

  it('are counted by gateway and by initiator', () => {
    const store = open();
    const scoped = { ...perDay, gateway: 'g', initiator: 'agents', allowed: dollar };
    store.reserve('other gateway', planned(5, 'agents', 'other'), [scoped]);
    store.reserve('other initiator', planned(5, 'chats'), [scoped]);
    assert.equal(store.reserve('r', planned(1, 'agents'), [scoped]), undefined);
    assert.equal(store.reserve('r2', planned(1, 'agents'), [scoped])?.use.limit, scoped);
    assert.equal(store.reserve('r3', planned(1, 'chats'), [scoped]), undefined);
  });

  it('without a price are counted in tokens, and as a number in limits of money', () => {
    const store = open();
    const unknown = { ...planned(0), least: { tokens: 400 }, most: { tokens: 400 } };
    const lenient = { ...perDay, allowsUnpriced: true };
    for (const id of ['a', 'b']) {
      assert.equal(store.reserve(id, unknown, [ofTokens, lenient]), undefined);
      store.settle(id, { tokens: 400 }, unknown);
    }
    assert.equal(store.reserve('c', unknown, [ofTokens, lenient])?.use.limit, ofTokens);
    assert.equal(store.reserve('d', unknown, [perDay])?.why, 'unpriced');
    assert.equal(store.uses([lenient])[0]?.unpriced, 2);
  });

  it('may exceed a limit that is raised, only today', () => {
    const store = open();
    assert.equal(fill(store, [perDay, perMonth]), 10);
    open().increase(perDay, 2 * dollar);
    assert.equal(fill(store, [perDay, perMonth], 'more '), 2);
    now += 86_400_000;
    assert.equal(fill(store, [perDay, perMonth], 'next '), 8, 'the month has no more');
  });

  it('cause one notice at 80 % for each limit and period, in one of the windows', () => {
    const windows = [open(), open()];
    const notices = () => windows.flatMap((each) => each.takeNotices([perDay, perMonth]));
    const spend = (dollars: number, id: string) => {
      windows[0]?.reserve(id, planned(dollars), []);
      windows[0]?.settle(id, spent(dollars), planned(dollars));
    };
    spend(7.9, 'a');
    assert.deepEqual(notices(), []);
    spend(0.1, 'b');
    assert.deepEqual(
      notices().map(({ limit }) => limit.name),
      ['day'],
    );
    spend(8, 'c');
    assert.deepEqual(
      notices().map(({ limit }) => limit.name),
      ['month'],
    );
    now += 86_400_000;
    spend(9, 'd');
    assert.deepEqual(
      notices().map(({ limit }) => limit.name),
      ['day'],
    );
  });

  it('are refused if they cannot be counted', () => {
    const store = open();
    store.reserve('r', planned(1), [perDay]);
    store.close();
    folder.unwritable(() => {
      assert.throws(() => open().reserve('next', planned(1), [perDay]), StorageError);
    });
  });

  it('are counted in a new file if the old one is damaged beyond repair', () => {
    writeFileSync(folder.file(), 'not a database '.repeat(1_000));
    let reports = 0;
    const store = new SpendingStore(
      folder.file(),
      () => now,
      () => reports++,
    );
    stores.push(store);
    assert.equal(fill(store, [perDay]), 10);
    assert.equal(reports, 1);
  });
});
