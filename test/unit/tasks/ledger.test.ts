import assert from 'node:assert/strict';
import type { Database } from '../../../src/storage/database.ts';
import { Ledger } from '../../../src/tasks/ledger/ledger.ts';
import {
  completed,
  draft,
  finished,
  gateway,
  ManualClock,
  openLedgerDatabase,
  running,
  snapshot,
  statusesOf,
  storedTask,
} from '../../support/ledgers.ts';

const problem = { message: 'The connection was lost.', code: 'network', requestId: 'request-a' };

describe('the ledger, making a task', () => {
  let database: Database;
  let clock: ManualClock;
  let ledger: Ledger;

  beforeEach(() => {
    database = openLedgerDatabase();
    clock = new ManualClock();
    ledger = new Ledger(database, { window: 'first', now: clock.now });
  });

  afterEach(() => ledger.close());

  /** The window dies, and another one opens. */
  function crash(): void {
    ledger = new Ledger(database, { window: 'second', now: clock.now });
  }

  const nobody = () => false;

  it('keeps what is about to be asked for', () => {
    const task = ledger.create(draft('a'));
    assert.deepEqual(task, {
      ...{ key: 'a', gateway, gatewayName: 'work', route: 'videoSynthesis', model: 'film-1' },
      ...{ prompt: 'a cat on a wall', status: 'intent', watching: 'on', intendedAt: clock.time, results: [] },
    });
    assert.deepEqual(ledger.history('a'), {
      request: draft('a').request,
      statusChanges: [{ at: clock.time, status: 'intent' }],
      failedPolls: [],
    });
  });

  it('F64 an intent that is not kept whole leaves nothing behind', () => {
    const broken = {
      toJSON: () => {
        throw new Error('the window dies here');
      },
    };
    assert.throws(() => ledger.create(draft('a', { request: broken })));
    crash();
    assert.deepEqual([ledger.list(), ledger.history('a')], [[], undefined]);
  });

  it('F98 what a synchronised folder makes of one task, it is one task', () => {
    const adoption = {
      gateway,
      gatewayName: 'work',
      snapshot: { ...snapshot({ rawStatus: 'RUNNING' }), id: 'task-1' },
    };
    const { key } = ledger.adopt(adoption);
    crash();
    assert.equal(ledger.adopt(adoption).key, key);
    assert.equal(ledger.list().length, 1);
  });

  it('F70 a key is taken once', () => {
    ledger.create(draft('a', { prompt: 'the first click' }));
    assert.equal(ledger.create(draft('a', { prompt: 'the second click' })), undefined);
    assert.deepEqual(
      ledger.list().map(({ prompt }) => prompt),
      ['the first click'],
    );
  });

  it('F65 a crash before the request leaves an intent, which can be sent or discarded', () => {
    ledger.create(draft('a'));
    ledger.create(draft('b'));
    crash();
    assert.deepEqual(ledger.recover(nobody), []);
    assert.deepEqual([storedTask(ledger, 'a').status, ledger.owner('a')], ['intent', 'first']);
    assert.equal(ledger.claimSubmit('a', 'request-a'), true);
    assert.equal(ledger.discard('b'), true);
    assert.equal(ledger.get('b'), undefined);
  });

  it('one caller ever may send', () => {
    ledger.create(draft('a'));
    clock.time += 5;
    assert.equal(ledger.claimSubmit('a', 'request-a'), true);
    assert.equal(ledger.claimSubmit('a', 'request-b'), false);
    crash();
    assert.equal(ledger.claimSubmit('a', 'request-c'), false);
    ledger.recover(nobody);
    assert.equal(ledger.claimSubmit('a', 'request-d'), false);
    const { requestId, submittedAt } = storedTask(ledger, 'a');
    assert.deepEqual([requestId, submittedAt], ['request-a', clock.time]);
  });

  it('nobody may send what is not known', () => {
    assert.equal(ledger.claimSubmit('nothing', 'request-a'), false);
  });

  it('discards what was never sent, and nothing else', () => {
    ledger.create(draft('a'));
    ledger.claimSubmit('a', 'request-a');
    assert.equal(ledger.discard('a'), false);
    assert.equal(ledger.discard('nothing'), false);
    assert.equal(storedTask(ledger, 'a').status, 'submitting');
  });

  it('F66 a crash after the request left makes the outcome unknown, never an intent', () => {
    ledger.create(draft('a'));
    ledger.claimSubmit('a', 'request-a');
    crash();
    assert.deepEqual(
      ledger.recover(nobody).map(({ key, status, requestId }) => ({ key, status, requestId })),
      [{ key: 'a', status: 'unknown', requestId: 'request-a' }],
    );
    assert.deepEqual(ledger.recover(nobody), []);
    assert.deepEqual(statusesOf(ledger, 'a'), ['intent', 'submitting', 'unknown']);
  });

  it('leaves alone what a living window is sending', () => {
    ledger.create(draft('a'));
    ledger.claimSubmit('a', 'request-a');
    assert.deepEqual(ledger.recover(nobody), []);
    crash();
    assert.deepEqual(
      ledger.recover((window) => window === 'first'),
      [],
    );
    assert.equal(storedTask(ledger, 'a').status, 'submitting');
  });

  it('knows who sends a task, as long as it is being sent', () => {
    ledger.create(draft('a'));
    crash();
    ledger.claimSubmit('a', 'request-a');
    assert.equal(ledger.owner('a'), 'second');
    ledger.accept('a', 'task-a');
    assert.equal(ledger.owner('a'), undefined);
  });

  it('keeps the id, and watches', () => {
    ledger.create(draft('a'));
    ledger.claimSubmit('a', 'request-a');
    clock.time += 7;
    ledger.accept('a', 'task-a');
    const { status, taskId, acceptedAt, watchedSince, watching } = storedTask(ledger, 'a');
    assert.deepEqual([status, taskId, watching], ['running', 'task-a', 'on']);
    assert.deepEqual([acceptedAt, watchedSince], [clock.time, clock.time]);
    assert.equal(ledger.find(gateway, 'task-a')?.key, 'a');
    assert.equal(ledger.find('https://other.example', 'task-a'), undefined);
  });

  it('F67 takes an id that comes after the task was given up', () => {
    ledger.create(draft('a'));
    ledger.claimSubmit('a', 'request-a');
    ledger.markUnknown('a', problem);
    ledger.accept('a', 'task-a');
    const { status, taskId, problem: left } = storedTask(ledger, 'a');
    assert.deepEqual([status, taskId, left], ['running', 'task-a', undefined]);
  });

  it('an id is never dropped: a second one gets a row of its own', () => {
    running(ledger, 'a', 'guessed');
    ledger.accept('a', 'told');
    assert.equal(storedTask(ledger, 'a').taskId, 'guessed');
    const stray = ledger.find(gateway, 'told');
    assert.deepEqual([stray?.status, stray?.model, stray?.prompt], ['running', 'film-1', 'a cat on a wall']);
    ledger.accept('a', 'told');
    assert.equal(ledger.list().length, 2);
  });

  it('accepting again changes nothing', () => {
    finished(ledger, 'a');
    const before = ledger.get('a');
    clock.time += 1000;
    ledger.accept('a', 'task-a');
    assert.deepEqual(ledger.get('a'), before);
  });

  it('two rows of one task become one, with all that was seen of either', () => {
    ledger.create(draft('a'));
    ledger.claimSubmit('a', 'request-a');
    ledger.markUnknown('a', problem, 'half a reply');
    const adopted = ledger.adopt({
      ...{ gateway, gatewayName: 'work' },
      snapshot: snapshot({ id: 'task-a', rawStatus: 'RUNNING' }),
    });
    ledger.pollFailed(adopted.key, { message: 'busy', status: 503 });
    ledger.recordSnapshot(adopted.key, { ...completed, id: 'task-a' });
    ledger.claimFetch(adopted.key, 0, nobody);
    ledger.claimNotice(adopted.key, 'ended');

    ledger.accept('a', 'task-a');
    assert.deepEqual(
      ledger.list().map(({ key }) => key),
      ['a'],
    );
    const task = storedTask(ledger, 'a');
    assert.deepEqual([task.status, task.taskId, task.requestId], ['completed', 'task-a', 'request-a']);
    assert.deepEqual(
      task.results.map(({ state, url }) => [state, url]),
      [['fetching', completed.results[0]?.url]],
    );
    assert.deepEqual(
      new Set(statusesOf(ledger, 'a')),
      new Set([
        ...['intent', 'submitting', 'unknown'],
        ...['running', 'running RUNNING', 'completed SUCCEEDED'],
      ]),
    );
    const history = ledger.history('a');
    assert.deepEqual(history?.request, draft('a').request);
    assert.equal(history?.unclearReply, 'half a reply');
    assert.deepEqual(history?.record, completed.raw);
    assert.equal(history?.failedPolls.length, 1);
    assert.equal(ledger.claimNotice('a', 'ended'), false);
  });

  it('keeps why nothing was made', () => {
    ledger.create(draft('a'));
    ledger.claimSubmit('a', 'request-a');
    ledger.refuse('a', { ...problem, status: 422 });
    const task = storedTask(ledger, 'a');
    assert.deepEqual([task.status, task.problem], ['refused', { ...problem, status: 422 }]);
  });

  it('F68 keeps what little came back', () => {
    ledger.create(draft('a'));
    ledger.claimSubmit('a', 'request-a');
    ledger.markUnknown('a', problem, '{"output":{"task_i');
    assert.deepEqual([storedTask(ledger, 'a').status, storedTask(ledger, 'a').problem], ['unknown', problem]);
    assert.equal(ledger.history('a')?.unclearReply, '{"output":{"task_i');
  });

  it('what has an id is neither refused nor lost any more', () => {
    running(ledger, 'a');
    ledger.refuse('a', problem);
    ledger.markUnknown('a', problem, 'late');
    assert.deepEqual(
      [storedTask(ledger, 'a').status, storedTask(ledger, 'a').problem],
      ['running', undefined],
    );
    assert.equal(ledger.history('a')?.unclearReply, undefined);
  });

  describe('adopts a task that was made elsewhere', () => {
    it('with what is known of it', () => {
      clock.time += 60_000;
      const createdAt = new Date(clock.time - 40_000);
      const task = ledger.adopt({
        ...{ gateway, gatewayName: 'work', model: 'film-2', prompt: 'a dog' },
        snapshot: snapshot({ id: 'task-z', rawStatus: 'RUNNING', progress: 30, createdAt }),
      });
      const { key, ...rest } = task;
      assert.match(key, /^[\da-f-]{36}$/);
      assert.deepEqual(rest, {
        ...{
          gateway,
          gatewayName: 'work',
          model: 'film-2',
          prompt: 'a dog',
          status: 'running',
          watching: 'on',
        },
        ...{ taskId: 'task-z', rawStatus: 'RUNNING', progress: 30, mostProgress: 30, results: [] },
        ...{ intendedAt: createdAt.getTime(), acceptedAt: clock.time, watchedSince: clock.time },
      });
    });

    it('once', () => {
      const adoption = { gateway, gatewayName: 'work', snapshot: snapshot({ id: 'task-z' }) };
      assert.deepEqual(ledger.adopt(adoption), ledger.adopt({ ...adoption, gatewayName: 'other' }));
      assert.equal(ledger.list().length, 1);
    });

    it('and one of our own stays ours', () => {
      const own = running(ledger, 'a');
      assert.deepEqual(
        ledger.adopt({ gateway, gatewayName: 'x', snapshot: snapshot({ id: 'task-a' }) }),
        own,
      );
    });

    it('that has ended already, with its results', () => {
      const task = ledger.adopt({ gateway, gatewayName: 'work', snapshot: { ...completed, id: 'task-z' } });
      assert.deepEqual([task.status, task.results.length], ['completed', 1]);
    });

    it('that has ended already, when the gateway says it did', () => {
      const [createdAt, finishedAt] = [new Date(clock.time - 90_000), new Date(clock.time - 30_000)];
      const ended = { ...completed, id: 'task-z', createdAt, finishedAt };
      const task = ledger.adopt({ gateway, gatewayName: 'work', snapshot: ended });
      assert.deepEqual([task.intendedAt, task.endedAt], [createdAt.getTime(), finishedAt.getTime()]);
    });

    it('only by its id', () => {
      assert.throws(() => ledger.adopt({ gateway, gatewayName: 'work', snapshot: snapshot() }), TypeError);
    });

    it('F82 and one that was made in the future is new', () => {
      const createdAt = new Date(clock.time + 365 * 86_400_000);
      const task = ledger.adopt({ gateway, gatewayName: 'work', snapshot: snapshot({ id: 'z', createdAt }) });
      assert.equal(task.intendedAt, clock.time);
    });
  });

  describe('F92 on a full disk', () => {
    beforeEach(() => {
      running(ledger, 'a');
      const pages = database.get<{ page_count: number }>('PRAGMA page_count')?.page_count ?? 0;
      database.get(`PRAGMA max_page_count = ${pages}`);
    });

    const large = { request: { prompt: 'x'.repeat(100_000) } };

    it('refuses before anything can be sent', () => {
      assert.throws(() => ledger.create(draft('b', large)), { name: 'StorageError', kind: 'full' });
      assert.equal(ledger.get('b'), undefined);
      assert.equal(ledger.claimSubmit('b', 'request-b'), false);
      assert.equal(storedTask(ledger, 'a').status, 'running');
    });

    it('reports nothing that was not stored, and goes on when there is room', () => {
      const told: unknown[] = [];
      ledger.onDidChange((key) => told.push(key));
      assert.throws(() =>
        ledger.recordSnapshot('a', { ...completed, raw: ['x'.repeat(60_000), 'y'.repeat(60_000)] }),
      );
      assert.deepEqual([storedTask(ledger, 'a').status, told], ['running', []]);
      database.get('PRAGMA max_page_count = 100000');
      assert.equal(ledger.recordSnapshot('a', completed), 'ended');
      assert.deepEqual(told, ['a']);
    });
  });
});
