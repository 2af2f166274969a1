import assert from 'node:assert/strict';
import type { Database } from '../../../src/storage/database.ts';
import { Ledger } from '../../../src/tasks/ledger/ledger.ts';
import type { TaskSnapshot } from '../../../src/wire/apis/taskRecord/snapshot.ts';
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

describe('the ledger of watched tasks', () => {
  let database: Database;
  let clock: ManualClock;
  let ledger: Ledger;
  let changedKeys: (string | undefined)[];

  beforeEach(() => {
    database = openLedgerDatabase();
    clock = new ManualClock();
    ledger = new Ledger(database, { window: 'first', now: clock.now });
    addRunningTask(ledger, 'a');
    changedKeys = [];
    ledger.onDidChange((key) => changedKeys.push(key));
  });

  afterEach(() => ledger.close());

  it('stores every state of the task with its time', () => {
    const started = clock.time;
    clock.time += 1000;
    assert.equal(ledger.recordSnapshot('a', createSnapshot({ rawStatus: 'PENDING' })), 'changed');
    clock.time += 1000;
    assert.equal(
      ledger.recordSnapshot('a', createSnapshot({ rawStatus: 'RUNNING', progress: 10 })),
      'changed',
    );
    assert.deepEqual(ledger.readHistory('a')?.statusChanges.slice(-3), [
      { at: started, status: 'running' },
      { at: started + 1000, status: 'running', rawStatus: 'PENDING' },
      { at: started + 2000, status: 'running', rawStatus: 'RUNNING' },
    ]);
    assert.deepEqual(
      [readStoredTask(ledger, 'a').rawStatus, readStoredTask(ledger, 'a').progress],
      ['RUNNING', 10],
    );
  });

  it('does not write to the database without a change', () => {
    const look = createSnapshot({ rawStatus: 'RUNNING', progress: 10 });
    ledger.recordSnapshot('a', look);
    const changes = () => database.get<{ n: number }>('SELECT total_changes() AS n')?.n;
    const before = changes();
    clock.time += 5000;
    assert.equal(ledger.recordSnapshot('a', { ...look, raw: { status: 'RUNNING', polled: 2 } }), 'same');
    assert.deepEqual([changes(), changedKeys], [before, ['a']]);
  });

  it('F73 stores an unknown status unchanged', () => {
    ledger.recordSnapshot('a', createSnapshot({ rawStatus: 'moderating' }));
    assert.deepEqual(
      [readStoredTask(ledger, 'a').status, readStoredTask(ledger, 'a').rawStatus],
      ['running', 'moderating'],
    );
  });

  it('does not store a repeated state a second time', () => {
    for (const word of ['QUEUED', 'RUNNING', 'QUEUED', 'RUNNING'])
      ledger.recordSnapshot('a', createSnapshot({ rawStatus: word }));
    assert.deepEqual(listStatuses(ledger, 'a').slice(-2), ['running QUEUED', 'running RUNNING']);
    assert.equal(readStoredTask(ledger, 'a').rawStatus, 'RUNNING');
  });

  it('stores at most 500 states of a task', () => {
    for (let n = 0; n < 600; n++) ledger.recordSnapshot('a', createSnapshot({ rawStatus: `step ${n}` }));
    assert.equal(listStatuses(ledger, 'a').length, 500);
    assert.equal(readStoredTask(ledger, 'a').rawStatus, 'step 599');
  });

  it('stores a completed task with results that wait to be downloaded', () => {
    clock.time += 30_000;
    const expiresAt = new Date(clock.time + 86_400_000);
    const look: TaskSnapshot = {
      ...completedSnapshot,
      expiresAt,
      results: [
        { url: 'https://files.example/1.mp4', mimeType: 'video/mp4', expiresAt },
        { url: 'gs://bucket/2.mp4' },
        { url: `data:image/png;base64,${'A'.repeat(200_000)}` },
      ],
    };
    assert.equal(ledger.recordSnapshot('a', look), 'ended');
    const { status, endedAt, results, expiresAt: until } = readStoredTask(ledger, 'a');
    assert.deepEqual([status, endedAt, until], ['completed', clock.time, expiresAt.getTime()]);
    assert.deepEqual(results, [
      {
        index: 0,
        state: 'waiting',
        url: 'https://files.example/1.mp4',
        mimeType: 'video/mp4',
        expiresAt: expiresAt.getTime(),
      },
      { index: 1, state: 'waiting', url: 'gs://bucket/2.mp4' },
      { index: 2, state: 'waiting', url: look.results[2]?.url },
    ]);
    assert.equal(ledger.recordSnapshot('a', look), 'same');
  });

  it('stores a failed task with the error of the gateway', () => {
    const error = { message: 'Input was refused.', code: 'DataInspectionFailed' };
    assert.equal(
      ledger.recordSnapshot('a', createSnapshot({ status: 'failed', rawStatus: 'FAILED', error })),
      'ended',
    );
    assert.deepEqual(
      [readStoredTask(ledger, 'a').status, readStoredTask(ledger, 'a').problem],
      ['failed', error],
    );
  });

  it('stores a cancelled task without a problem', () => {
    ledger.recordSnapshot(
      'a',
      createSnapshot({ status: 'failed', failedAs: 'cancelled', rawStatus: 'CANCELED' }),
    );
    const { status, failedAs, problem } = readStoredTask(ledger, 'a');
    assert.deepEqual([status, failedAs, problem], ['failed', 'cancelled', undefined]);
  });

  it('F74 does not reopen a task that ended, but stores contradicting states', () => {
    ledger.recordSnapshot('a', completedSnapshot);
    const before = ledger.get('a');
    const record = ledger.readHistory('a')?.record;
    clock.time += 5000;
    assert.equal(
      ledger.recordSnapshot('a', createSnapshot({ rawStatus: 'RUNNING', progress: 50 })),
      'changed',
    );
    assert.equal(
      ledger.recordSnapshot(
        'a',
        createSnapshot({ status: 'failed', rawStatus: 'FAILED', error: { message: 'x' } }),
      ),
      'changed',
    );
    assert.equal(ledger.recordSnapshot('a', createSnapshot({ rawStatus: 'RUNNING' })), 'same');
    ledger.markMissing('a');
    assert.deepEqual(ledger.get('a'), before);
    assert.deepEqual(ledger.readHistory('a')?.record, record);
    assert.deepEqual(listStatuses(ledger, 'a').slice(-3), [
      'completed SUCCEEDED',
      'running RUNNING',
      'failed FAILED',
    ]);
  });

  it('F72 updates the link of a result, unless the result is saved', () => {
    ledger.recordSnapshot('a', {
      ...completedSnapshot,
      results: [{ url: 'https://f.example/1?s=a' }, { url: 'https://f.example/2?s=a' }],
    });
    ledger.claimDownload('a', 0, () => false);
    ledger.updateResult('a', 0, { state: 'saved', path: '/films/1.mp4' });
    const again = {
      ...completedSnapshot,
      results: [{ url: 'https://f.example/1?s=b' }, { url: 'https://f.example/2?s=b' }],
    };
    const expiresAt = new Date(clock.time + 86_400_000);
    assert.equal(ledger.recordSnapshot('a', { ...again, expiresAt }), 'changed');
    assert.equal(readStoredTask(ledger, 'a').expiresAt, expiresAt.getTime());
    assert.deepEqual(
      readStoredTask(ledger, 'a').results.map(({ url, state }) => [url, state]),
      [
        ['https://f.example/1?s=a', 'saved'],
        ['https://f.example/2?s=b', 'waiting'],
      ],
    );
  });

  it('F79 accepts results that are reported after the end', () => {
    ledger.recordSnapshot('a', { ...completedSnapshot, results: [] });
    assert.deepEqual(readStoredTask(ledger, 'a').results, []);
    assert.equal(ledger.recordSnapshot('a', completedSnapshot), 'changed');
    assert.equal(readStoredTask(ledger, 'a').results.length, 1);
  });

  it('stores the last record without the long data in it', () => {
    const raw = { data: 'x'.repeat(70_000), words: 'y'.repeat(60_000), list: [{ b64: 'z'.repeat(65_537) }] };
    ledger.recordSnapshot('a', { ...completedSnapshot, raw });
    assert.deepEqual(ledger.readHistory('a')?.record, {
      data: '(70000 characters, left out)',
      words: raw.words,
      list: [{ b64: '(65537 characters, left out)' }],
    });
  });

  it('F60 stores a completed task without its record if that is nested too deeply', () => {
    let raw: unknown = 'bottom';
    for (let depth = 0; depth < 100_000; depth++) raw = [raw];
    assert.equal(ledger.recordSnapshot('a', { ...completedSnapshot, raw }), 'ended');
    assert.equal(readStoredTask(ledger, 'a').status, 'completed');
    assert.equal(ledger.readHistory('a')?.record, undefined);
  });

  it('stores the last 50 failed polls', () => {
    addRunningTask(ledger, 'b');
    ledger.recordFailedPoll('b', { message: 'of another task' });
    for (let n = 0; n < 60; n++) ledger.recordFailedPoll('a', { message: `failure ${n}`, status: 502 });
    const polls = ledger.readHistory('a')?.failedPolls ?? [];
    assert.deepEqual(
      [polls.length, polls[0], polls.at(-1)?.problem.message],
      [50, { at: clock.time, problem: { message: 'failure 10', status: 502 } }, 'failure 59'],
    );
    assert.equal(ledger.readHistory('b')?.failedPolls.length, 1);
  });

  it('F75 preserves the data of a missing task, which runs again when it is seen again', () => {
    ledger.recordSnapshot('a', createSnapshot({ rawStatus: 'RUNNING', progress: 40 }));
    ledger.markMissing('a');
    const { status, progress, taskId } = readStoredTask(ledger, 'a');
    assert.deepEqual([status, progress, taskId], ['missing', 40, 'task-a']);
    assert.equal(
      ledger.recordSnapshot('a', createSnapshot({ rawStatus: 'RUNNING', progress: 40 })),
      'changed',
    );
    assert.equal(readStoredTask(ledger, 'a').status, 'running');
  });

  it('stores that watching timed out, and a new start time when it is resumed', () => {
    ledger.setWatching('a', 'timed-out');
    const { watching, watchedSince } = readStoredTask(ledger, 'a');
    assert.equal(watching, 'timed-out');
    clock.time += 9000;
    ledger.setWatching('a', 'on');
    assert.deepEqual(
      [readStoredTask(ledger, 'a').watching, readStoredTask(ledger, 'a').watchedSince],
      ['on', (watchedSince ?? 0) + 9000],
    );
  });

  describe('stores as the end time', () => {
    const recordEnd = (finishedAt: Date): number | undefined => {
      ledger.recordSnapshot('a', { ...completedSnapshot, finishedAt });
      return readStoredTask(ledger, 'a').endedAt;
    };

    it('the time that the gateway reports', () => {
      const finishedAt = new Date(clock.time + 20_000);
      clock.time += 3 * 86_400_000;
      assert.equal(recordEnd(finishedAt), finishedAt.getTime());
    });

    for (const [name, off] of [
      ['before it began', -60_000],
      ['in the future', 60_000],
    ] as const) {
      it(`F82 its own time if the gateway reports a time ${name}`, () => {
        assert.equal(recordEnd(new Date(clock.time + off)), clock.time);
      });
    }
  });

  describe('for a synchronous request', () => {
    beforeEach(() => {
      ledger.create(createDraft('s'));
      ledger.claimSubmission('s', 'request-s');
    });

    it('accepts a result without an id', () => {
      assert.equal(ledger.recordSnapshot('s', completedSnapshot), 'ended');
      assert.deepEqual(
        [readStoredTask(ledger, 's').status, readStoredTask(ledger, 's').results.length],
        ['completed', 1],
      );
      assert.deepEqual(
        ledger.recover(() => false),
        [],
      );
    });

    it('accepts a result after the task was marked as unknown', () => {
      ledger.markUnknown('s', { message: 'The window was frozen.' });
      assert.equal(
        ledger.recordSnapshot('s', createSnapshot({ status: 'failed', rawStatus: 'failed' })),
        'ended',
      );
      assert.deepEqual(
        [readStoredTask(ledger, 's').status, readStoredTask(ledger, 's').problem],
        ['failed', undefined],
      );
    });

    it('stores the id in the result', () => {
      assert.equal(ledger.recordSnapshot('s', { ...completedSnapshot, id: 'task-s' }), 'ended');
      assert.equal(ledger.find(gateway, 'task-s')?.status, 'completed');
    });

    it('does not mark a task without an id as running', () => {
      assert.equal(ledger.recordSnapshot('s', createSnapshot({ rawStatus: 'RUNNING' })), 'same');
      assert.equal(readStoredTask(ledger, 's').status, 'submitting');
    });
  });

  it('ignores updates of a task that was never sent or is unknown', () => {
    ledger.create(createDraft('i'));
    assert.deepEqual(
      [ledger.recordSnapshot('i', completedSnapshot), ledger.recordSnapshot('nothing', completedSnapshot)],
      ['same', 'same'],
    );
    ledger.markMissing('nothing');
    ledger.setWatching('nothing', 'on');
    ledger.recordFailedPoll('nothing', { message: 'x' });
    assert.equal(ledger.get('nothing'), undefined);
    assert.equal(readStoredTask(ledger, 'i').status, 'intent');
  });

  it('reports every change after it is stored, and only changes', () => {
    const stages: unknown[] = [];
    const subscription = ledger.onDidChange((key) => stages.push(key && ledger.get(key)?.status));
    ledger.recordSnapshot('a', completedSnapshot);
    ledger.recordSnapshot('a', completedSnapshot);
    ledger.discard('a');
    ledger.claimDownload('a', 7, () => false);
    ledger.markRefused('a', { message: 'x' });
    subscription.dispose();
    addFinishedTask(ledger, 'b');
    assert.deepEqual(stages, ['completed']);
    assert.deepEqual(changedKeys, ['a', 'b', 'b', 'b', 'b']);
  });
});
