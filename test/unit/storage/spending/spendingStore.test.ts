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
    assert.equal(refusals.at(-1)?.reason, 'reserved');
    assert.deepEqual(windows[0]?.readUses([perDay])[0]?.reserved, 10 * dollar);
  });

  it('make room when they cost less than their maximum', () => {
    const store = open();
    for (let index = 0; index < 10; index++) store.reserve(`r${index}`, planned(1), [perDay]);
    store.settle('r0', undefined, planned(1));
    store.settle('r1', spent(0.5), planned(1));
    assert.equal(store.reserve('next', planned(1), [perDay]), undefined);
    assert.equal(store.reserve('another', planned(1), [perDay])?.reason, 'reserved');
    const [use] = store.readUses([perDay]);
    assert.deepEqual([use?.used, use?.reserved], [dollar / 2, 9 * dollar]);
  });

  it('stay counted with their maximum when their window dies, and later count as used', () => {
    open().reserve('lost', planned(10), [perDay]);
    stores[0]?.close();
    const next = open();
    assert.equal(next.reserve('next', planned(1), [perDay])?.reason, 'reserved');
    now += 3_600_000;
    const refused = next.reserve('next', planned(1), [perDay]);
    assert.deepEqual(
      [refused?.reason, refused?.use.used, refused?.use.reserved],
      ['reached', 10 * dollar, 0],
    );
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
    assert.equal(store.readUses([perMonth])[0]?.used, 0);
    now = new Date(2030, 0, 31, 23, 59).getTime();
    assert.equal(store.readUses([perMonth])[0]?.used, dollar);
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
    assert.equal(store.reserve('d', unknown, [perDay])?.reason, 'unpriced');
    assert.equal(store.readUses([lenient])[0]?.unpriced, 2);
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

  it('cause a notice for each of several limits with the same scope, even if one request reaches all', () => {
    const store = open();
    const larger = { ...perDay, name: 'larger', allowed: 20 * dollar };
    const limits = [perDay, larger, { ...perDay, name: 'same' }];
    const spend = (dollars: number) => {
      store.settle(`${dollars}`, spent(dollars), planned(dollars));
      return store.takeNotices(limits).map(({ limit }) => limit.name);
    };
    assert.deepEqual(spend(8), ['day']);
    assert.deepEqual(spend(8.5), ['larger']);
    now += 86_400_000;
    assert.deepEqual(spend(19), ['day', 'larger']);
    store.increase(perDay, 5 * dollar);
    assert.deepEqual(
      store.readUses(limits).map(({ allowed }) => allowed / dollar),
      [15, 20, 15],
      'only the raised one allows more',
    );
  });

  it('for a task stay counted after it failed, are shown, and are corrected by reported costs', () => {
    const store = open();
    const send = (id: string) => {
      store.reserve(id, planned(4), [], { id: `task ${id}` });
      store.settle(id, spent(4, 0), planned(4));
    };
    const use = () => {
      const { used, failed } = store.readUses([perDay])[0] ?? {};
      return [(used ?? 0) / dollar, (failed ?? 0) / dollar];
    };
    send('a');
    send('b');
    now += 2 * 3_600_000;
    assert.deepEqual(use(), [8, 0], 'tasks that run for hours');
    store.settleTask('task a', { isFailed: true });
    assert.deepEqual(use(), [8, 4], 'it is unknown whether the failed one is billed');
    store.settleTask('task a', { isFailed: true, costUsd: 0 });
    assert.deepEqual(use(), [4, 0], 'the record reports that it is not billed');
    store.settleTask('task b', { isFailed: false, costUsd: 0 });
    assert.deepEqual(use(), [4, 0], 'a completed task is not free because its price is unknown there');
    store.settleTask('task b', { isFailed: false, costUsd: 0.03 });
    assert.deepEqual(use(), [4, 0], 'it is far less than the price');
    store.settleTask('task b', { isFailed: false, costUsd: 6 });
    store.settleTask('of another program', { isFailed: false, costUsd: 6 });
    assert.deepEqual(use(), [6, 0]);
  });

  it('for a task with a price in another currency fill limits in that currency and in dollars', () => {
    const store = open();
    const inEuros = { ...perDay, currency: 'EUR' };
    const price = { amount: 4 * dollar, currency: 'EUR', tokens: 0 };
    const request = { ...planned(0), least: price, most: price };
    for (const id of ['a', 'b', 'c']) {
      store.reserve(id, request, [inEuros], { id: `task ${id}` });
      store.settle(id, price, request);
    }
    store.settleTask('task a', { isFailed: false, costUsd: 5 });
    store.settleTask('task b', { isFailed: true, costUsd: 0 });
    store.settleTask('task c', { isFailed: false });
    const uses = store.readUses([inEuros, { ...perDay, allowsUnpriced: true }]);
    assert.deepEqual(
      uses.map(({ used, unpriced }) => [used / dollar, unpriced]),
      [
        [8, 0],
        [5, 1],
      ],
    );
    assert.equal(store.reserve('d', request, [inEuros])?.reason, 'too-large');
  });

  it('for a task that ends before its reply was counted are counted once, with the costs of the record', () => {
    const store = open();
    store.reserve('a', planned(4), [perDay], { id: 'task a' });
    store.settleTask('task a', { isFailed: true, costUsd: 1 });
    store.settle('a', spent(4, 0), planned(4));
    store.reserve('refused', planned(4), [perDay], { id: 'task refused' });
    store.settle('refused', undefined, planned(4));
    const [use] = store.readUses([perDay]);
    assert.deepEqual([use?.used, use?.reserved, use?.failed], [dollar, 0, 0]);
  });

  it('stay counted when the clock or the time zone is set back, and when the clock was ahead for a while', () => {
    const store = open();
    const today = now;
    const used = (limit = perMonth) => (store.readUses([limit])[0]?.used ?? 0) / dollar;
    fill(store, [perDay]);
    now = new Date(2030, 0, 14, 23).getTime();
    assert.equal(used(perDay), 10, 'a day earlier');
    assert.equal(store.reserve('earlier', planned(1), [perDay])?.reason, 'reached');
    now = new Date(2029, 10, 3).getTime();
    assert.equal(used(), 10, 'two months earlier');
    now = new Date(2099, 5, 1).getTime();
    assert.equal(fill(store, [perDay], 'ahead '), 10);
    for (let day = 2; day < 9; day++) {
      now = new Date(2099, 5, day).getTime();
      store.reserve(`day ${day}`, planned(0), [perDay]);
    }
    now = today;
    assert.equal(fill(store, [perMonth], 'again '), 0, 'the month has no more');
    assert.equal(used(), 20);
    now = new Date(2030, 1, 1, 1).getTime();
    assert.equal(fill(store, [perMonth], 'next '), 20, 'the requests of 2099 expire too');
  });

  it('stay counted when requests are sent while the clock is set back by any time, and count these too', () => {
    for (const [wrong, id] of [
      [new Date(2029, 11, 20, 12), 'weeks'],
      [new Date(2020, 0, 1, 12), 'years'],
    ] as const) {
      const right = new Date(2030, 0, 15, 12).getTime();
      const limit = { ...perMonth, gateway: id };
      const store = open();
      const used = () => (store.readUses([limit])[0]?.used ?? 0) / dollar;
      const send = (nth: number, dollars: number) => {
        const request = planned(dollars, 'chats', id);
        const refused = store.reserve(`${id} ${nth}`, request, [limit]);
        if (!refused) store.settle(`${id} ${nth}`, spent(dollars), request);
        return refused?.reason;
      };
      now = right;
      assert.equal(send(1, 15), undefined);
      now = wrong.getTime();
      assert.equal(send(2, 4), undefined, `${id}: the clock is behind`);
      assert.equal(used(), 19, `${id}: the clock is behind`);
      assert.equal(send(3, 2), 'too-large');
      now += 86_400_000;
      assert.equal(send(4, 2), 'too-large', `${id}: on the next wrong day`);
      now = right + 86_400_000;
      assert.equal(used(), 19, `${id}: the clock is corrected`);
      assert.equal(send(5, 2), 'too-large', `${id}: the clock is corrected`);
      now = new Date(2030, 1, 1, 12).getTime();
      assert.equal(used(), 0, `${id}: the next month`);
    }
  });

  it('of a window that died while the clock was ahead count as used, not as in progress', () => {
    const store = open();
    const today = now;
    now = new Date(2030, 5, 1).getTime();
    store.reserve('lost', planned(3), []);
    now = today;
    store.reserve('sent now', planned(1), []);
    const [use] = store.readUses([perMonth]);
    assert.deepEqual([use?.used, use?.reserved], [3 * dollar, dollar]);
  });

  it('of wrong prices are never less than the limit, and never stop the counting', () => {
    const store = open();
    const huge = { amount: toBillionths(1e300) ?? 0, currency: 'USD', tokens: 1e12 };
    const request = { gateway: 'g', initiator: 'chats', least: huge, most: huge };
    for (let index = 0; index < 40; index++) {
      assert.equal(store.reserve(`r${index}`, request, []), undefined);
      if (index % 2 === 0) store.settle(`r${index}`, huge, request);
    }
    const [ofMoney, tokens] = store.readUses([perMonth, ofTokens]);
    assert.ok((ofMoney?.used ?? 0) >= 1e15 && (tokens?.used ?? 0) >= 1e12);
    assert.equal(store.reserve('next', planned(1), [perMonth])?.reason, 'reached');
  });

  it('count for the local day in which they were sent, at each change to and from summer time', () => {
    const { TZ } = process.env;
    try {
      for (const [zone, year, month, day] of [
        // This zone skipped December 30.
        ['Pacific/Apia', 2011, 11, 29],
        // Midnight does not exist on this day.
        ['America/Sao_Paulo', 2018, 10, 3],
        ['Europe/Berlin', 2030, 2, 31],
        ['Europe/Berlin', 2030, 9, 27],
      ] as const) {
        process.env.TZ = zone;
        const store = open();
        now = new Date(year, month, day, 23, 59).getTime();
        const { resetsAt } = store.readUses([perDay])[0] ?? {};
        assert.equal(fill(store, [perDay], `${zone} ${month} evening `), 10);
        now = resetsAt ?? 0;
        assert.equal(fill(store, [perDay], `${zone} ${month} next day `), 10, zone);
        now += 60_000;
        assert.equal(fill(store, [perDay], `${zone} ${month} again `), 0, zone);
      }
    } finally {
      if (TZ === undefined) delete process.env.TZ;
      else process.env.TZ = TZ;
    }
  });

  it('are refused if they cannot be counted', () => {
    const store = open();
    store.reserve('r', planned(1), [perDay]);
    store.close();
    folder.runUnwritable(() => {
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
