import assert from 'node:assert/strict';
import type { Database } from '../../../src/storage/database.ts';
import { Ledger } from '../../../src/tasks/ledger.ts';
import { dayMs, hourMs, reviewSpending, totalPrice } from '../../../src/tasks/spending.ts';
import { draft, ManualClock, openLedgerDatabase } from '../../support/ledgers.ts';

describe('T18 how much may be spent by a click', () => {
  const nothing = { inLastHour: 0, inLastDay: 0 };

  it('up to four at once are sent without a question, five are asked about', () => {
    assert.equal(reviewSpending(4, nothing, 0), 'fine');
    assert.equal(reviewSpending(5, nothing, 0), 'ask');
  });

  it('so is the one that makes more than twenty in an hour', () => {
    assert.equal(reviewSpending(1, { inLastHour: 19, inLastDay: 19 }, 0), 'fine');
    assert.equal(reviewSpending(1, { inLastHour: 20, inLastDay: 20 }, 0), 'ask');
    assert.equal(reviewSpending(1, { inLastHour: 0, inLastDay: 500 }, 0), 'fine');
  });

  it('what is beyond the daily limit is not sent, however few they are', () => {
    assert.equal(reviewSpending(1, { inLastHour: 0, inLastDay: 9 }, 10), 'fine');
    assert.equal(reviewSpending(1, { inLastHour: 0, inLastDay: 10 }, 10), 'too-many');
    assert.equal(reviewSpending(5, { inLastHour: 0, inLastDay: 6 }, 10), 'too-many');
  });

  it('the price is by request, by second, or both; without a length it is not guessed', () => {
    const currency = 'USD';
    assert.equal(totalPrice({ perRequest: 0.5, currency }, 8, 5), 4);
    assert.equal(totalPrice({ perSecond: 0.25, currency }, 2, 4), 2);
    assert.equal(totalPrice({ perRequest: 1, perSecond: 0.25, currency }, 2, 4), 4);
    assert.equal(totalPrice({ perSecond: 0.25, currency }, 2, undefined), undefined);
    assert.equal(totalPrice({ currency }, 2, 5), undefined);
  });
});

describe('the ledger, counting what may be billed', () => {
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
    ledger.create(draft(key));
    ledger.claimSubmit(key, `request-${key}`);
  }

  it('counts what was sent and what is about to be, of every window', () => {
    send('a');
    ledger.create(draft('b'));
    const other = new Ledger(database, { window: 'second', now: clock.now });
    other.create(draft('c'));
    other.claimSubmit('c', 'request-c');
    assert.deepEqual(ledger.spending(), { inLastHour: 3, inLastDay: 3 });
  });

  it('forgets an hour and a day later', () => {
    send('a');
    clock.time += hourMs;
    send('b');
    assert.deepEqual(ledger.spending(), { inLastHour: 1, inLastDay: 2 });
    clock.time += dayMs;
    assert.deepEqual(ledger.spending(), { inLastHour: 0, inLastDay: 0 });
  });

  it('does not count what was refused or discarded, since nothing was made', () => {
    send('a');
    ledger.refuse('a', { message: 'no' });
    ledger.create(draft('b'));
    ledger.discard('b');
    assert.deepEqual(ledger.spending(), { inLastHour: 0, inLastDay: 0 });
  });

  it('counts what was removed from the list', () => {
    send('a');
    ledger.accept('a', 'task-a');
    ledger.remove('a');
    assert.deepEqual(ledger.list(), []);
    assert.equal(ledger.spending().inLastDay, 1);
  });

  it('F82 a clock that was set back takes nothing off', () => {
    send('a');
    clock.time -= 400 * dayMs;
    assert.deepEqual(ledger.spending(), { inLastHour: 1, inLastDay: 1 });
  });
});
