import assert from 'node:assert/strict';
import type { Database } from '../../../src/storage/database.ts';
import { Ledger } from '../../../src/tasks/ledger/ledger.ts';
import type { LedgerResult } from '../../../src/tasks/record/task.ts';
import {
  addFinishedTask,
  addRunningTask,
  completedSnapshot,
  createDraft,
  createSnapshot,
  gateway,
  ManualClock,
  openLedgerDatabase,
  readStoredTask,
} from '../../support/ledgers.ts';
import { waitForUncaught } from '../../support/uncaughtErrors.ts';

describe('the ledger', () => {
  let database: Database;
  let clock: ManualClock;
  let ledger: Ledger;

  beforeEach(() => {
    database = openLedgerDatabase();
    clock = new ManualClock();
    ledger = new Ledger(database, { window: 'first', now: clock.now });
  });

  afterEach(() => ledger.close());

  const neverAlive = () => false;
  const alwaysAlive = () => true;

  function keys(): readonly string[] {
    return ledger.list().map(({ key }) => key);
  }

  describe('storing results', () => {
    let other: Ledger;

    beforeEach(() => {
      other = new Ledger(database, { window: 'second', now: clock.now });
      addFinishedTask(ledger, 'a');
    });

    function result(): LedgerResult | undefined {
      return readStoredTask(ledger, 'a').results[0];
    }

    it('F90 allows only one window to download a result', () => {
      assert.equal(ledger.claimDownload('a', 0, alwaysAlive), true);
      assert.equal(ledger.claimDownload('a', 0, alwaysAlive), false);
      assert.equal(other.claimDownload('a', 0, alwaysAlive), false);
      assert.equal(result()?.state, 'downloading');
    });

    it('allows another window to download a result when the first one crashes', () => {
      ledger.claimDownload('a', 0, alwaysAlive);
      assert.equal(
        other.claimDownload('a', 0, (window) => window !== 'first'),
        true,
      );
      ledger.updateResult('a', 0, { state: 'failed', problem: { message: 'The old window woke up.' } });
      assert.deepEqual([result()?.state, result()?.problem], ['downloading', undefined]);
      other.updateResult('a', 0, { state: 'saved', path: '/films/a.mp4' });
      assert.equal(result()?.state, 'saved');
    });

    it('stores a saved result, which cannot be downloaded again', () => {
      ledger.claimDownload('a', 0, neverAlive);
      const saved = { path: '/films/a.mp4', bytes: 61_000, sha256: 'ab12', mimeType: 'video/mp4' };
      ledger.updateResult('a', 0, { state: 'saved', ...saved });
      const url = completedSnapshot.results[0]?.url;
      assert.deepEqual(result(), { index: 0, state: 'saved', url, ...saved });
      assert.equal(other.claimDownload('a', 0, neverAlive), false);
    });

    it('allows a failed result to be downloaded again, and clears its problem', () => {
      ledger.claimDownload('a', 0, neverAlive);
      ledger.updateResult('a', 0, { state: 'failed', problem: { message: 'The link has expired.' } });
      assert.deepEqual(result()?.problem, { message: 'The link has expired.' });
      assert.equal(other.claimDownload('a', 0, alwaysAlive), true);
      assert.deepEqual([result()?.state, result()?.problem], ['downloading', undefined]);
    });

    it('drops the data of an inline result once it is saved', () => {
      const data = `data:image/png;base64,${'A'.repeat(300_000)}`;
      addRunningTask(ledger, 'b');
      ledger.recordSnapshot('b', { ...completedSnapshot, results: [{ url: data }] });
      assert.equal(readStoredTask(ledger, 'b').results[0]?.url, data);
      ledger.updateResult('b', 0, { state: 'saved', url: 'inline', path: '/films/b.png' });
      assert.equal(readStoredTask(ledger, 'b').results[0]?.url, 'inline');
      ledger.recordSnapshot('b', { ...completedSnapshot, results: [{ url: data }] });
      assert.equal(readStoredTask(ledger, 'b').results[0]?.url, 'inline');
    });

    it('ignores a result that does not exist', () => {
      ledger.updateResult('a', 5, { state: 'saved' });
      assert.equal(ledger.claimDownload('a', 5, neverAlive), false);
      assert.equal(readStoredTask(ledger, 'a').results.length, 1);
    });
  });

  it('F84 allows each notice to be claimed once, by one of all windows', () => {
    addFinishedTask(ledger, 'a');
    const other = new Ledger(database, { window: 'second' });
    assert.deepEqual(
      [ledger, other, ledger].map((window) => window.claimNotice('a', 'ended')),
      [true, false, false],
    );
    assert.equal(other.claimNotice('a', 'gone'), true);
  });

  describe('reading', () => {
    it('lists all tasks, the newest first', () => {
      for (const key of ['a', 'b', 'c']) {
        clock.time += 1000;
        ledger.create(createDraft(key));
      }
      const createdAt = new Date(clock.time - 500);
      const elsewhere = ledger.adopt({
        gateway,
        gatewayName: 'x',
        snapshot: createSnapshot({ id: 'z', createdAt }),
      });
      assert.deepEqual(keys(), ['c', elsewhere.key, 'b', 'a']);
    });

    it('lists the current state after a change by any window', () => {
      const other = new Ledger(database, { window: 'second', now: clock.now });
      addRunningTask(ledger, 'a');
      addRunningTask(ledger, 'b');
      const stages = () => Object.fromEntries(ledger.list().map(({ key, status }) => [key, status]));
      assert.deepEqual(stages(), { a: 'running', b: 'running' });
      ledger.recordSnapshot('a', completedSnapshot);
      assert.deepEqual(stages(), { a: 'completed', b: 'running' });
      other.recordSnapshot('b', completedSnapshot);
      assert.deepEqual(stages(), { a: 'completed', b: 'completed' });
      ledger.remove('a');
      assert.deepEqual(stages(), { b: 'completed' });
      ledger.create(createDraft('c'));
      other.create(createDraft('d'));
      ledger.claimSubmission('c', 'request-c');
      assert.deepEqual(stages(), { b: 'completed', c: 'submitting', d: 'intent' });
      other.remove('b');
      ledger.discard('d');
      assert.deepEqual(stages(), { c: 'submitting' });
    });

    it('lists one task after two rows were merged', () => {
      ledger.create(createDraft('a'));
      ledger.claimSubmission('a', 'request-a');
      ledger.adopt({ gateway, gatewayName: 'work', snapshot: createSnapshot({ id: 'task-a' }) });
      const received: unknown[] = [];
      ledger.onDidChange((key) => received.push(key));
      assert.equal(keys().length, 2);
      ledger.accept('a', 'task-a');
      assert.deepEqual([keys(), received], [['a'], [undefined]]);
    });

    it('lists each task with its own results', () => {
      for (const key of ['a', 'b']) {
        addRunningTask(ledger, key);
        const results = [0, 1].map((n) => ({ url: `https://files.example/${key}${n}` }));
        ledger.recordSnapshot(key, { ...completedSnapshot, results });
      }
      const [b, a] = ledger.list();
      assert.deepEqual([b, a], [ledger.get('b'), ledger.get('a')]);
      assert.deepEqual(
        b?.results.map(({ url }) => url.slice(-2)),
        ['b0', 'b1'],
      );
    });

    it('lists unfinished tasks', () => {
      ledger.create(createDraft('intent'));
      ledger.create(createDraft('submitting'));
      ledger.claimSubmission('submitting', 'r');
      ledger.create(createDraft('unknown'));
      ledger.claimSubmission('unknown', 'r');
      ledger.markUnknown('unknown', { message: 'x' });
      addRunningTask(ledger, 'watched');
      addRunningTask(ledger, 'stopped');
      ledger.setWatching('stopped', 'stopped');
      addRunningTask(ledger, 'gone');
      ledger.markMissing('gone');
      for (const key of ['waiting', 'downloading', 'saved', 'undownloaded']) addFinishedTask(ledger, key);
      for (const key of ['downloading', 'saved', 'undownloaded']) ledger.claimDownload(key, 0, neverAlive);
      ledger.updateResult('saved', 0, { state: 'saved' });
      ledger.updateResult('undownloaded', 0, { state: 'failed' });
      assert.deepEqual(
        ledger
          .listUnfinished()
          .map(({ key }) => key)
          .sort(),
        ['downloading', 'submitting', 'unknown', 'waiting', 'watched'],
      );
      const waiting = ledger.listUnfinished().find(({ key }) => key === 'waiting');
      assert.deepEqual(waiting, ledger.get('waiting'));
    });

    it('returns the typical duration of a model: the median of its last 20 runs', () => {
      const run = (key: string, seconds: number, model = 'film-1') => {
        ledger.create(createDraft(key, { model }));
        ledger.claimSubmission(key, 'r');
        ledger.accept(key, `task-${key}`);
        clock.time += seconds * 1000;
        ledger.recordSnapshot(key, completedSnapshot);
      };
      assert.equal(ledger.measureTypicalRun('film-1', clock.time), undefined);
      for (let n = 0; n < 5; n++) run(`old ${n}`, 9000);
      run('other', 1, 'film-2');
      for (let n = 1; n <= 19; n++) run(`new ${n}`, n);
      addRunningTask(ledger, 'unfinished');
      assert.equal(ledger.measureTypicalRun('film-1', clock.time), 10_500);
      assert.equal(ledger.measureTypicalRun('film-2', clock.time), 1000);
    });

    it('bases the typical duration on runs that ended before the task began, else on the first run since', () => {
      const began = clock.time;
      for (const seconds of [3, 60]) {
        const key = `took ${seconds}`;
        addRunningTask(ledger, key);
        clock.time += seconds * 1000;
        ledger.recordSnapshot(key, completedSnapshot);
      }
      assert.equal(ledger.measureTypicalRun('film-1', began), 3000);
      assert.equal(ledger.measureTypicalRun('film-1', began + 3000), 3000);
      assert.equal(ledger.measureTypicalRun('film-1', clock.time), 31_500);
    });

    it('stores the highest progress of a running task, and that a task returned text', () => {
      addRunningTask(ledger, 'a');
      const most = (progress: number, rawStatus = 'running') => {
        ledger.recordSnapshot('a', createSnapshot({ status: 'running', rawStatus, progress }));
        return ledger.get('a')?.maxPercent;
      };
      assert.deepEqual([most(80, 'queued'), most(60), most(40), most(65)], [undefined, 60, 60, 65]);
      const raw = { status: 'completed', output_text: 'words' };
      ledger.recordSnapshot('a', createSnapshot({ status: 'completed', raw }));
      assert.equal(ledger.get('a')?.resultKind, 'text');
      addFinishedTask(ledger, 'b');
      assert.equal(ledger.get('b')?.resultKind, undefined);
    });

    it('excludes adopted tasks, failed tasks and impossible times from the typical duration', () => {
      ledger.adopt({
        gateway,
        gatewayName: 'x',
        model: 'film-1',
        snapshot: { ...completedSnapshot, id: 'z' },
      });
      addRunningTask(ledger, 'failed');
      ledger.recordSnapshot('failed', createSnapshot({ status: 'failed' }));
      addRunningTask(ledger, 'back');
      clock.time -= 86_400_000;
      ledger.recordSnapshot('back', completedSnapshot);
      assert.equal(ledger.measureTypicalRun('film-1', clock.time), undefined);
    });

    it('returns undefined for an unknown task', () => {
      assert.deepEqual(
        [ledger.get('x'), ledger.readHistory('x'), ledger.find(gateway, 'x'), ledger.findOwner('x')],
        [undefined, undefined, undefined, undefined],
      );
    });
  });

  describe('removing a task', () => {
    it('deletes all its rows', () => {
      addFinishedTask(ledger, 'a');
      ledger.recordFailedPoll('a', { message: 'x' });
      ledger.claimNotice('a', 'ended');
      ledger.remove('a');
      assert.deepEqual([ledger.get('a'), ledger.readHistory('a'), keys()], [undefined, undefined, []]);
      for (const table of ['requests', 'replies', 'statusChanges', 'failedPolls', 'results', 'notices']) {
        assert.deepEqual(database.all(`SELECT * FROM ${table}`), [], table);
      }
    });

    it('does not remove a task whose request is being sent', () => {
      ledger.create(createDraft('a'));
      ledger.claimSubmission('a', 'request-a');
      ledger.remove('a');
      ledger.accept('a', 'task-a');
      assert.equal(readStoredTask(ledger, 'a').taskId, 'task-a');
    });

    it('ignores an id that arrives later', () => {
      ledger.accept('a', 'task-a');
      assert.deepEqual(keys(), []);
    });
  });

  it('stores and reports a change even if a listener fails', async () => {
    const failure = new Error('a listener failed');
    const reported = waitForUncaught();
    const received: unknown[] = [];
    ledger.onDidChange(() => {
      throw failure;
    });
    ledger.onDidChange((key) => received.push(key));
    assert.ok(ledger.create(createDraft('a')));
    assert.deepEqual(received, ['a']);
    assert.equal(await reported, failure);
  });
});
