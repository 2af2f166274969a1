import assert from 'node:assert/strict';
import type { Database } from '../../../src/storage/database.ts';
import { Ledger } from '../../../src/tasks/ledger/ledger.ts';
import { computeTotalPrice, dayMs, hourMs, reviewSpending } from '../../../src/tasks/record/taskSpending.ts';
import {
  completedSnapshot,
  createDraft,
  createSnapshot,
  ManualClock,
  openLedgerDatabase,
} from '../../support/ledgers.ts';

describe('T18 the spending check of a click', () => {
  const nothing = { inLastHour: 0, inLastDay: 0 };

  it('allows up to four tasks, and requires confirmation for five', () => {
    assert.equal(reviewSpending(4, nothing, 0), 'fine');
    assert.equal(reviewSpending(5, nothing, 0), 'confirm');
  });

  it('requires confirmation for more than twenty tasks in an hour', () => {
    assert.equal(reviewSpending(1, { inLastHour: 19, inLastDay: 19 }, 0), 'fine');
    assert.equal(reviewSpending(1, { inLastHour: 20, inLastDay: 20 }, 0), 'confirm');
    assert.equal(reviewSpending(1, { inLastHour: 0, inLastDay: 500 }, 0), 'fine');
  });

  it('rejects tasks beyond the daily limit', () => {
    assert.equal(reviewSpending(1, { inLastHour: 0, inLastDay: 9 }, 10), 'fine');
    assert.equal(reviewSpending(1, { inLastHour: 0, inLastDay: 10 }, 10), 'too-many');
    assert.equal(reviewSpending(5, { inLastHour: 0, inLastDay: 6 }, 10), 'too-many');
  });

  it('calculates a price per request, per second, or both, but not without a known length', () => {
    const currency = 'USD';
    assert.equal(computeTotalPrice({ perRequest: 0.5, currency }, 8, 5), 4);
    assert.equal(computeTotalPrice({ perSecond: 0.25, currency }, 2, 4), 2);
    assert.equal(computeTotalPrice({ perRequest: 1, perSecond: 0.25, currency }, 2, 4), 4);
    assert.equal(computeTotalPrice({ perSecond: 0.25, currency }, 2, undefined), undefined);
    assert.equal(computeTotalPrice({ currency }, 2, 5), undefined);
  });
});

describe('the ledger of billable tasks', () => {
  let database: Database;
  let clock: ManualClock;
  let ledger: Ledger;

  beforeEach(() => {
    database = openLedgerDatabase();
    clock = new ManualClock();
    ledger = new Ledger(database, { window: 'first', now: clock.now });
  });

  afterEach(() => ledger.close());

  function send(key: string): void {
    ledger.create(createDraft(key));
    ledger.claimSubmission(key, `request-${key}`);
  }

  it('counts sent and intended tasks of every window', () => {
    send('a');
    ledger.create(createDraft('b'));
    const other = new Ledger(database, { window: 'second', now: clock.now });
    other.create(createDraft('c'));
    other.claimSubmission('c', 'request-c');
    assert.deepEqual(ledger.readSpending(), { inLastHour: 3, inLastDay: 3 });
  });

  it('counts the tasks of the last hour and of the last day', () => {
    send('a');
    clock.time += hourMs;
    send('b');
    assert.deepEqual(ledger.readSpending(), { inLastHour: 1, inLastDay: 2 });
    clock.time += dayMs;
    assert.deepEqual(ledger.readSpending(), { inLastHour: 0, inLastDay: 0 });
  });

  it('does not count refused and discarded tasks', () => {
    send('a');
    ledger.markRefused('a', { message: 'no' });
    ledger.create(createDraft('b'));
    ledger.discard('b');
    assert.deepEqual(ledger.readSpending(), { inLastHour: 0, inLastDay: 0 });
  });

  it('counts tasks that were removed from the list', () => {
    send('a');
    ledger.accept('a', 'task-a');
    ledger.remove('a');
    assert.deepEqual(ledger.list(), []);
    assert.equal(ledger.readSpending().inLastDay, 1);
  });

  it('F82 still counts tasks after the clock was set back', () => {
    send('a');
    clock.time -= 400 * dayMs;
    assert.deepEqual(ledger.readSpending(), { inLastHour: 1, inLastDay: 1 });
  });

  describe('in its usage report', () => {
    const inDollars = { seconds: 8, cost: { amount: 0.4, currency: 'USD' } };

    function sendFor(key: string, change: Parameters<typeof createDraft>[1] = inDollars): void {
      ledger.create(createDraft(key, change));
      ledger.claimSubmission(key, `request-${key}`);
      ledger.accept(key, `task-${key}`);
    }

    function sums() {
      return ledger.readUsage().map(({ tasks, failed, seconds, cost, currency, isCharged }) => ({
        tasks,
        failed,
        seconds,
        currency,
        isCharged,
        cost: Number(cost.toFixed(6)),
      }));
    }

    const estimated = { failed: 0, currency: 'USD', isCharged: false };

    it('adds up submitted tasks by day, model and gateway, including removed tasks', () => {
      for (const key of ['a', 'b', 'c']) sendFor(key);
      ledger.remove('a');
      clock.time += 2 * dayMs;
      sendFor('d', { ...inDollars, model: 'film-2', gatewayName: 'home' });
      assert.deepEqual(
        ledger.readUsage().map(({ model, gatewayName, tasks }) => [model, gatewayName, tasks]),
        [
          ['film-2', 'home', 1],
          ['film-1', 'work', 3],
        ],
      );
      assert.deepEqual(sums()[1], { ...estimated, tasks: 3, seconds: 24, cost: 1.2 });
      const [later = '', first = ''] = ledger.readUsage().map(({ day }) => day);
      assert.ok(later > first, `${later} ${first}`);
    });

    it('omits tasks that were refused, discarded or never sent', () => {
      ledger.create(createDraft('a', inDollars));
      ledger.create(createDraft('b', inDollars));
      ledger.discard('b');
      ledger.create(createDraft('c', inDollars));
      ledger.claimSubmission('c', 'request-c');
      ledger.markRefused('c', { message: 'no' });
      assert.deepEqual(sums(), []);
    });

    it('counts failed tasks without their cost and length', () => {
      sendFor('a');
      ledger.recordSnapshot('a', createSnapshot({ status: 'failed' }));
      assert.deepEqual(sums(), [{ ...estimated, tasks: 1, failed: 1, seconds: 0, cost: 0 }]);
    });

    it('replaces the estimate by the cost and the length that the record reports', () => {
      sendFor('a');
      const raw = { status: 'SUCCEEDED', usage: { video_duration: '5', cost: 0.31 } };
      ledger.recordSnapshot('a', { ...completedSnapshot, raw });
      assert.deepEqual(sums(), [{ ...estimated, tasks: 1, isCharged: true, seconds: 5, cost: 0.31 }]);
    });

    it('counts tasks without a known length, and adds up each currency separately', () => {
      sendFor('a', {});
      sendFor('b', { seconds: 2, cost: { amount: 3, currency: 'CNY' } });
      const usage = ledger.readUsage();
      assert.deepEqual(
        usage.map(({ currency, cost, withoutSeconds }) => [currency, cost, withoutSeconds]),
        [
          [undefined, 0, 1],
          ['CNY', 3, 0],
        ],
      );
    });

    it('T3 P16 ignores invalid values of requests and records', () => {
      sendFor('a');
      const invalid = [1e300, Number.POSITIVE_INFINITY, -5, Number.NaN];
      for (const figure of invalid)
        sendFor(`invalid ${figure}`, { seconds: figure, cost: { amount: figure, currency: 'USD' } });
      const raw = { status: 'SUCCEEDED', usage: { video_duration: 1e300, cost: 1e300 } };
      ledger.recordSnapshot('invalid -5', { ...completedSnapshot, raw });
      const [sum, ...others] = ledger.readUsage();
      assert.deepEqual(
        [sum?.tasks, sum?.seconds, sum?.cost, sum?.withoutSeconds, others],
        [5, 8, 0.4, 4, []],
      );
    });
  });
});
