import assert from 'node:assert/strict';
import type { Database } from '../../../src/storage/database.ts';
import { Ledger } from '../../../src/tasks/ledger/ledger.ts';
import {
  addFinishedTask,
  addRunningTask,
  completedSnapshot,
  createDraft,
  createSnapshot,
  gateway,
  listStatuses,
  ManualClock,
  openLedgerDatabase,
  readStoredTask,
} from '../../support/ledgers.ts';

const problem = { message: 'The connection was lost.', code: 'network', requestId: 'request-a' };

describe('the ledger of created tasks', () => {
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

  const neverAlive = () => false;

  it('stores an intent with its request', () => {
    const task = ledger.create(createDraft('a'));
    assert.deepEqual(task, {
      key: 'a',
      gateway,
      gatewayName: 'work',
      route: 'videoSynthesis',
      model: 'film-1',
      prompt: 'a cat on a wall',
      status: 'intent',
      watching: 'on',
      intendedAt: clock.time,
      results: [],
    });
    assert.deepEqual(ledger.readHistory('a'), {
      request: createDraft('a').request,
      statusChanges: [{ at: clock.time, status: 'intent' }],
      failedPolls: [],
    });
  });

  it('F64 does not store a part of an intent that fails while it is written', () => {
    const broken = {
      toJSON: () => {
        throw new Error('the window dies here');
      },
    };
    assert.throws(() => ledger.create(createDraft('a', { request: broken })));
    crash();
    assert.deepEqual([ledger.list(), ledger.readHistory('a')], [[], undefined]);
  });

  it('F98 stores a task once that another window adopts again', () => {
    const adoption = {
      gateway,
      gatewayName: 'work',
      snapshot: { ...createSnapshot({ rawStatus: 'RUNNING' }), id: 'task-1' },
    };
    const { key } = ledger.adopt(adoption);
    crash();
    assert.equal(ledger.adopt(adoption).key, key);
    assert.equal(ledger.list().length, 1);
  });

  it('F70 accepts each key once', () => {
    ledger.create(createDraft('a', { prompt: 'the first click' }));
    assert.equal(ledger.create(createDraft('a', { prompt: 'the second click' })), undefined);
    assert.deepEqual(
      ledger.list().map(({ prompt }) => prompt),
      ['the first click'],
    );
  });

  it('F65 has an intent after a crash before the request, which can be sent or discarded', () => {
    ledger.create(createDraft('a'));
    ledger.create(createDraft('b'));
    crash();
    assert.deepEqual(ledger.recover(neverAlive), []);
    assert.deepEqual([readStoredTask(ledger, 'a').status, ledger.findOwner('a')], ['intent', 'first']);
    assert.equal(ledger.claimSubmission('a', 'request-a'), true);
    assert.equal(ledger.discard('b'), true);
    assert.equal(ledger.get('b'), undefined);
  });

  it('allows only one caller to send a task, even after a crash', () => {
    ledger.create(createDraft('a'));
    clock.time += 5;
    assert.equal(ledger.claimSubmission('a', 'request-a'), true);
    assert.equal(ledger.claimSubmission('a', 'request-b'), false);
    crash();
    assert.equal(ledger.claimSubmission('a', 'request-c'), false);
    ledger.recover(neverAlive);
    assert.equal(ledger.claimSubmission('a', 'request-d'), false);
    const { requestId, submittedAt } = readStoredTask(ledger, 'a');
    assert.deepEqual([requestId, submittedAt], ['request-a', clock.time]);
  });

  it('does not allow sending an unknown task', () => {
    assert.equal(ledger.claimSubmission('nothing', 'request-a'), false);
  });

  it('does not discard a task that was sent', () => {
    ledger.create(createDraft('a'));
    ledger.claimSubmission('a', 'request-a');
    assert.equal(ledger.discard('a'), false);
    assert.equal(ledger.discard('nothing'), false);
    assert.equal(readStoredTask(ledger, 'a').status, 'submitting');
  });

  it('F66 marks a task as unknown, not as an intent, after a crash during its request', () => {
    ledger.create(createDraft('a'));
    ledger.claimSubmission('a', 'request-a');
    crash();
    assert.deepEqual(
      ledger.recover(neverAlive).map(({ key, status, requestId }) => ({ key, status, requestId })),
      [{ key: 'a', status: 'unknown', requestId: 'request-a' }],
    );
    assert.deepEqual(ledger.recover(neverAlive), []);
    assert.deepEqual(listStatuses(ledger, 'a'), ['intent', 'submitting', 'unknown']);
  });

  it('does not recover a task that a live window is sending', () => {
    ledger.create(createDraft('a'));
    ledger.claimSubmission('a', 'request-a');
    assert.deepEqual(ledger.recover(neverAlive), []);
    crash();
    assert.deepEqual(
      ledger.recover((window) => window === 'first'),
      [],
    );
    assert.equal(readStoredTask(ledger, 'a').status, 'submitting');
  });

  it('returns the window that sends a task until it is accepted', () => {
    ledger.create(createDraft('a'));
    crash();
    ledger.claimSubmission('a', 'request-a');
    assert.equal(ledger.findOwner('a'), 'second');
    ledger.accept('a', 'task-a');
    assert.equal(ledger.findOwner('a'), undefined);
  });

  it('stores the id, and starts watching', () => {
    ledger.create(createDraft('a'));
    ledger.claimSubmission('a', 'request-a');
    clock.time += 7;
    ledger.accept('a', 'task-a');
    const { status, taskId, acceptedAt, watchedSince, watching } = readStoredTask(ledger, 'a');
    assert.deepEqual([status, taskId, watching], ['running', 'task-a', 'on']);
    assert.deepEqual([acceptedAt, watchedSince], [clock.time, clock.time]);
    assert.equal(ledger.find(gateway, 'task-a')?.key, 'a');
    assert.equal(ledger.find('https://other.example', 'task-a'), undefined);
  });

  it('F67 accepts an id that arrives after the task was marked as unknown', () => {
    ledger.create(createDraft('a'));
    ledger.claimSubmission('a', 'request-a');
    ledger.markUnknown('a', problem);
    ledger.accept('a', 'task-a');
    const { status, taskId, problem: storedProblem } = readStoredTask(ledger, 'a');
    assert.deepEqual([status, taskId, storedProblem], ['running', 'task-a', undefined]);
  });

  it('stores a second id of a task in a separate row', () => {
    addRunningTask(ledger, 'a', 'guessed');
    ledger.accept('a', 'reported');
    assert.equal(readStoredTask(ledger, 'a').taskId, 'guessed');
    const stray = ledger.find(gateway, 'reported');
    assert.deepEqual([stray?.status, stray?.model, stray?.prompt], ['running', 'film-1', 'a cat on a wall']);
    ledger.accept('a', 'reported');
    assert.equal(ledger.list().length, 2);
  });

  it('does not change a task that is accepted again', () => {
    addFinishedTask(ledger, 'a');
    const before = ledger.get('a');
    clock.time += 1000;
    ledger.accept('a', 'task-a');
    assert.deepEqual(ledger.get('a'), before);
  });

  it('merges two rows of one task, with the data of both', () => {
    ledger.create(createDraft('a'));
    ledger.claimSubmission('a', 'request-a');
    ledger.markUnknown('a', problem, 'half a reply');
    const adopted = ledger.adopt({
      gateway,
      gatewayName: 'work',
      snapshot: createSnapshot({ id: 'task-a', rawStatus: 'RUNNING' }),
    });
    ledger.recordFailedPoll(adopted.key, { message: 'busy', status: 503 });
    ledger.recordSnapshot(adopted.key, { ...completedSnapshot, id: 'task-a' });
    ledger.claimDownload(adopted.key, 0, neverAlive);
    ledger.claimNotice(adopted.key, 'ended');

    ledger.accept('a', 'task-a');
    assert.deepEqual(
      ledger.list().map(({ key }) => key),
      ['a'],
    );
    const task = readStoredTask(ledger, 'a');
    assert.deepEqual([task.status, task.taskId, task.requestId], ['completed', 'task-a', 'request-a']);
    assert.deepEqual(
      task.results.map(({ state, url }) => [state, url]),
      [['downloading', completedSnapshot.results[0]?.url]],
    );
    assert.deepEqual(
      new Set(listStatuses(ledger, 'a')),
      new Set(['intent', 'submitting', 'unknown', 'running', 'running RUNNING', 'completed SUCCEEDED']),
    );
    const history = ledger.readHistory('a');
    assert.deepEqual(history?.request, createDraft('a').request);
    assert.equal(history?.unclearReply, 'half a reply');
    assert.deepEqual(history?.record, completedSnapshot.raw);
    assert.equal(history?.failedPolls.length, 1);
    assert.equal(ledger.claimNotice('a', 'ended'), false);
  });

  it('stores the reason of a refused task', () => {
    ledger.create(createDraft('a'));
    ledger.claimSubmission('a', 'request-a');
    ledger.markRefused('a', { ...problem, status: 422 });
    const task = readStoredTask(ledger, 'a');
    assert.deepEqual([task.status, task.problem], ['refused', { ...problem, status: 422 }]);
  });

  it('F68 stores the beginning of an unclear reply', () => {
    ledger.create(createDraft('a'));
    ledger.claimSubmission('a', 'request-a');
    ledger.markUnknown('a', problem, '{"output":{"task_i');
    assert.deepEqual(
      [readStoredTask(ledger, 'a').status, readStoredTask(ledger, 'a').problem],
      ['unknown', problem],
    );
    assert.equal(ledger.readHistory('a')?.unclearReply, '{"output":{"task_i');
  });

  it('does not mark a task with an id as refused or unknown', () => {
    addRunningTask(ledger, 'a');
    ledger.markRefused('a', problem);
    ledger.markUnknown('a', problem, 'late');
    assert.deepEqual(
      [readStoredTask(ledger, 'a').status, readStoredTask(ledger, 'a').problem],
      ['running', undefined],
    );
    assert.equal(ledger.readHistory('a')?.unclearReply, undefined);
  });

  describe('adopts a task that was created elsewhere', () => {
    it('with its known data', () => {
      clock.time += 60_000;
      const createdAt = new Date(clock.time - 40_000);
      const task = ledger.adopt({
        gateway,
        gatewayName: 'work',
        model: 'film-2',
        prompt: 'a dog',
        snapshot: createSnapshot({ id: 'task-z', rawStatus: 'RUNNING', progress: 30, createdAt }),
      });
      const { key, ...rest } = task;
      assert.match(key, /^[\da-f-]{36}$/);
      assert.deepEqual(rest, {
        gateway,
        gatewayName: 'work',
        model: 'film-2',
        prompt: 'a dog',
        status: 'running',
        watching: 'on',
        taskId: 'task-z',
        rawStatus: 'RUNNING',
        progress: 30,
        maxPercent: 30,
        results: [],
        intendedAt: createdAt.getTime(),
        acceptedAt: clock.time,
        watchedSince: clock.time,
      });
    });

    it('only once', () => {
      const adoption = { gateway, gatewayName: 'work', snapshot: createSnapshot({ id: 'task-z' }) };
      assert.deepEqual(ledger.adopt(adoption), ledger.adopt({ ...adoption, gatewayName: 'other' }));
      assert.equal(ledger.list().length, 1);
    });

    it('without changing a task of its own', () => {
      const own = addRunningTask(ledger, 'a');
      assert.deepEqual(
        ledger.adopt({ gateway, gatewayName: 'x', snapshot: createSnapshot({ id: 'task-a' }) }),
        own,
      );
    });

    it('that has ended already, with its results', () => {
      const task = ledger.adopt({
        gateway,
        gatewayName: 'work',
        snapshot: { ...completedSnapshot, id: 'task-z' },
      });
      assert.deepEqual([task.status, task.results.length], ['completed', 1]);
    });

    it('that has ended already, with the times that the gateway reports', () => {
      const [createdAt, finishedAt] = [new Date(clock.time - 90_000), new Date(clock.time - 30_000)];
      const ended = { ...completedSnapshot, id: 'task-z', createdAt, finishedAt };
      const task = ledger.adopt({ gateway, gatewayName: 'work', snapshot: ended });
      assert.deepEqual([task.intendedAt, task.endedAt], [createdAt.getTime(), finishedAt.getTime()]);
    });

    it('only if it has an id', () => {
      assert.throws(
        () => ledger.adopt({ gateway, gatewayName: 'work', snapshot: createSnapshot() }),
        TypeError,
      );
    });

    it('F82 with the current time if it was created in the future', () => {
      const createdAt = new Date(clock.time + 365 * 86_400_000);
      const task = ledger.adopt({
        gateway,
        gatewayName: 'work',
        snapshot: createSnapshot({ id: 'z', createdAt }),
      });
      assert.equal(task.intendedAt, clock.time);
    });
  });

  describe('F92 on a full disk', () => {
    beforeEach(() => {
      addRunningTask(ledger, 'a');
      const pages = database.get<{ page_count: number }>('PRAGMA page_count')?.page_count ?? 0;
      database.get(`PRAGMA max_page_count = ${pages}`);
    });

    const large = { request: { prompt: 'x'.repeat(100_000) } };

    it('rejects a new task before it can be sent', () => {
      assert.throws(() => ledger.create(createDraft('b', large)), { name: 'StorageError', kind: 'full' });
      assert.equal(ledger.get('b'), undefined);
      assert.equal(ledger.claimSubmission('b', 'request-b'), false);
      assert.equal(readStoredTask(ledger, 'a').status, 'running');
    });

    it('does not report a change that was not stored, and continues when there is room', () => {
      const received: unknown[] = [];
      ledger.onDidChange((key) => received.push(key));
      assert.throws(() =>
        ledger.recordSnapshot('a', { ...completedSnapshot, raw: ['x'.repeat(60_000), 'y'.repeat(60_000)] }),
      );
      assert.deepEqual([readStoredTask(ledger, 'a').status, received], ['running', []]);
      database.get('PRAGMA max_page_count = 100000');
      assert.equal(ledger.recordSnapshot('a', completedSnapshot), 'ended');
      assert.deepEqual(received, ['a']);
    });
  });
});
