import assert from 'node:assert/strict';
import type { SQLInputValue } from 'node:sqlite';
import fc from 'fast-check';
import { minExpiredMs, retentionMs } from '../../../../src/localGateway/tasks/taskRetention.ts';
import {
  isUpstreamTask,
  readTaskState,
  type StoredTask,
} from '../../../../src/localGateway/tasks/taskState.ts';
import { TaskStore } from '../../../../src/localGateway/tasks/taskStore.ts';
import { openTaskDatabase } from '../../../../src/localGateway/tasks/taskTable.ts';
import type { VideoPlan } from '../../../../src/localGateway/upstreams/upstream.ts';
import type { Database } from '../../../../src/storage/database.ts';
import { taskStatuses } from '../../../../src/wire/apis/taskRecord/taskRecordFormat.ts';
import { anyPlan, createPlan } from '../plans.ts';

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

/** The SQL that a database runs from now on, with example values. */
function recordStatements(database: Database): ReadonlyMap<string, readonly SQLInputValue[]> {
  const statements = new Map<string, readonly SQLInputValue[]>();
  for (const name of ['get', 'all', 'run'] as const) {
    const run = database[name].bind(database) as (sql: string, ...values: SQLInputValue[]) => unknown;
    const recorded = (sql: string, ...values: SQLInputValue[]) => {
      if (!sql.startsWith('EXPLAIN')) statements.set(sql, values);
      return run(sql, ...values);
    };
    Object.assign(database, { [name]: recorded });
  }
  return statements;
}

describe('the task store', () => {
  let now: number;
  let running: number;
  let database: Database;
  let store: TaskStore;

  beforeEach(() => {
    now = 1_000_000_000_000;
    running = 0;
    database = openTaskDatabase(':memory:');
    store = start();
  });
  afterEach(() => store.close());

  /** A gateway that starts now, with the existing file. */
  function start(): TaskStore {
    const startedAt = running;
    return new TaskStore(database, { now: () => now, monotonic: () => 500 + running - startedAt });
  }

  /** Lets a gateway run for a while and reads its tasks every hour. */
  function run(ms: number): void {
    for (let remaining = ms; remaining > 0; remaining -= hourMs) {
      now += Math.min(remaining, hourMs);
      running += Math.min(remaining, hourMs);
      all();
    }
  }

  function make(
    plan: Partial<VideoPlan> = {},
    change: Partial<Parameters<TaskStore['create']>[0]> = {},
  ): StoredTask {
    const draft = { upstream: 'demo', model: 'demo/video', requestId: 'r', fingerprint: 'f', ...change };
    return store.create({ ...draft, plan: createPlan(plan) }).task;
  }
  const ids = (tasks: readonly StoredTask[]) => tasks.map(({ id }) => id);
  const all = (query: Partial<Parameters<TaskStore['list']>[0]> = {}) =>
    store.list({ limit: 100, statuses: taskStatuses, ...query });

  it('returns the stored task', () => {
    const task = make({ prompt: 'A cat \u{1f408} "\0"', failure: { code: 'x', message: 'y', progress: 3 } });
    assert.deepEqual(store.get(task.id), task);
    assert.equal(store.get('task_other'), undefined);
  });

  it('F60 stores tasks whose records are nested at any depth, and reads all tasks', () => {
    for (const depth of [100, 900, 2_000, 100_000]) {
      const created = store.createUpstreamTask({
        upstream: 'one',
        model: 'm',
        requestId: 'r',
        fingerprint: `f${depth}`,
        format: 'videos',
        prompt: 'A cat',
      });
      const deep: unknown = JSON.parse('['.repeat(depth) + ']'.repeat(depth));
      const report = { progress: 7, results: [], record: { id: 'video_1', deep } };
      const task = store.changeState(created.task.id, {
        status: 'running',
        report: report,
        upstreamId: 'video_1',
      });
      assert.ok(task && isUpstreamTask(task));
      assert.deepEqual(
        [task.upstreamId, task.report.progress, task.report.record?.id],
        ['video_1', 7, 'video_1'],
      );
      if (depth === 100) assert.deepEqual(task.report, report);
    }
    assert.equal(all().tasks.length, 4);
    now += hourMs;
    assert.equal(store.takeDue().length, 4);
  });

  it('lists the newest task first, even if the clock is set back', () => {
    const tasks = [make(), make()];
    now -= 86_400_000;
    tasks.push(make());
    assert.deepEqual(ids(all().tasks), ids(tasks).toReversed());
  });

  for (const deleted of [0, -1]) {
    it(`lists each task on one page, even if tasks are created and deleted (${deleted}) during paging`, () => {
      const tasks = Array.from({ length: 25 }, () => make());
      const seen: string[] = [];
      let before: number | undefined;
      do {
        const page = all({ limit: 10, after: before });
        seen.push(...ids(page.tasks));
        make();
        store.delete(page.tasks.at(deleted)?.id ?? '');
        before = page.next;
      } while (before !== undefined);
      assert.deepEqual(seen, ids(tasks).toReversed());
    });
  }

  it('does not return a next page after the last one', () => {
    for (let i = 0; i < 10; i++) make();
    assert.equal(all({ limit: 10 }).next, undefined);
    assert.notEqual(all({ limit: 9 }).next, undefined);
  });

  it('finds by status exactly the tasks that have this status when they are read', () => {
    fc.assert(
      fc.property(
        fc.array(anyPlan, { maxLength: 8 }),
        fc.nat(20_000),
        fc.nat(20_000),
        (plans, wait, more) => {
          const created = plans.map((plan) => make(plan));
          now += wait;
          for (const { id } of created.filter((_, i) => i % 3 === 0)) store.cancel(id);
          now += more;
          for (const status of taskStatuses) {
            const found = all({ statuses: [status] }).tasks;
            const expected = all().tasks.filter((task) => readTaskState(task, now).status === status);
            assert.deepEqual(ids(found), ids(expected));
          }
          for (const { id } of all().tasks) {
            store.cancel(id);
            store.delete(id);
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it('P9 never scans a whole table', () => {
    const statements = recordStatements(database);
    const draft = { upstream: 'one', model: 'm', requestId: 'r', fingerprint: 'f', prompt: 'A cat' };
    const { id } = store.createUpstreamTask({
      ...draft,
      format: 'videos',
      idempotencyKey: 'k',
      owner: 'ci',
    }).task;
    const report = { progress: 5, results: [{ url: 'https://a.example/x' }] };
    store.changeState(id, { status: 'completed', report: report, upstreamId: 'video_1', finishedAt: now });
    store.storeResults(id, { 0: { file: 'f', bytes: 1, mimeType: 'video/mp4', digest: 'd' } });
    store.markDirect(id, 0);
    store.cancel(make().id);
    for (const owner of [{}, { owner: 'ci' }]) {
      all({ ...owner, videosOnly: true });
      for (const status of taskStatuses) all({ ...owner, statuses: [status], oldestFirst: true });
      all(owner);
    }
    now += hourMs;
    running += hourMs;
    store.takeDue();
    store.findExistingIds([id]);
    store.findPosition(id);
    store.get(id);
    store.forget(id);
    store.delete(id);
    assert.ok(statements.size > 30);
    for (const [sql, values] of statements) {
      const plan = database.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values);
      for (const { detail } of plan) assert.doesNotMatch(detail, /SCAN (?!json_each|running)/, sql);
    }
  });

  it('P9 deletes at most 1,000 expired tasks at once', () => {
    for (let i = 0; i < 1_500; i++) make();
    run(retentionMs);
    const counts = [1_500];
    for (let hour = 0; counts.at(-1) !== 0 && hour < 30; hour += 1) {
      run(hourMs);
      counts.push(database.get<{ count: number }>('SELECT count(*) AS count FROM task')?.count ?? 0);
    }
    assert.deepEqual([...new Set(counts)], [1_500, 500, 0]);
  });

  it('cancels only tasks that have not ended and are cancellable, once', () => {
    const running = make({ runMs: 1_000 });
    assert.equal(store.cancel(running.id), true);
    const cancelledAt = now;
    now += 500;
    assert.equal(store.cancel(running.id), false);
    assert.deepEqual(store.get(running.id), { ...running, cancelledAt });
    assert.equal(store.cancel(make().id), false);
    assert.equal(store.cancel(make({ runMs: 1_000, isCancellable: false }).id), false);
    assert.equal(store.cancel(make({ hasEnd: false }).id), true);
    assert.equal(store.cancel('task_other'), false);
  });

  it('deletes only tasks that have ended', () => {
    const running = make({ runMs: 1_000 });
    assert.equal(store.delete(running.id), false);
    now += 1_000;
    assert.equal(store.delete(running.id), true);
    assert.equal(store.get(running.id), undefined);
    assert.equal(store.delete(running.id), false);
  });

  it('F69 F70 creates one task for each idempotency key', () => {
    const first = make({}, { idempotencyKey: 'k' });
    now += 5_000;
    const draft = {
      upstream: 'demo',
      model: 'other',
      requestId: 's',
      plan: createPlan(),
      idempotencyKey: 'k',
    };
    assert.deepEqual(store.create({ ...draft, fingerprint: 'f' }), { task: first, repeats: 'same' });
    assert.deepEqual(store.create({ ...draft, fingerprint: 'g' }), { task: first, repeats: 'other' });
    assert.equal(all().tasks.length, 1);
    make();
    make();
    assert.equal(all().tasks.length, 3);
  });

  it('deletes a task a week after its end and after a day of running, and not earlier', () => {
    const task = make({ runMs: 1_000 });
    const endless = make({ hasEnd: false });
    run(retentionMs + minExpiredMs - hourMs);
    make();
    assert.ok(store.get(task.id) && store.get(endless.id));
    run(2 * hourMs);
    make();
    assert.deepEqual([store.get(task.id), store.get(endless.id)], [undefined, undefined]);
  });

  describe('F82 keeps all tasks with a clock', () => {
    it('that is a week ahead for a moment and is then set back', () => {
      const tasks = Array.from({ length: 6 }, () => make());
      now += 8 * dayMs;
      tasks.push(make());
      now -= 8 * dayMs;
      tasks.push(make());
      run(3 * dayMs);
      assert.equal(all().tasks.length, tasks.length);
    });

    it('that is a year ahead for hours, with restarts', () => {
      const tasks = [make(), make()];
      now += 365 * dayMs;
      for (let restart = 0; restart < 5; restart++) {
        store = start();
        tasks.push(make());
        run(4 * hourMs);
      }
      now -= 365 * dayMs;
      run(2 * dayMs);
      store = start();
      make();
      assert.deepEqual(
        ids(tasks).filter((id) => !store.get(id)),
        [],
      );
    });

    it('that repeatedly jumps ahead and is then corrected', () => {
      const task = make();
      for (let jump = 0; jump < 10; jump++) {
        now += 30 * dayMs;
        run(5 * hourMs);
        make();
        now -= 30 * dayMs;
        run(hourMs);
      }
      assert.ok(store.get(task.id));
    });

    it('that was years behind when a task was created', () => {
      now -= 3 * 365 * dayMs;
      const task = make();
      now += 3 * 365 * dayMs;
      run(23 * hourMs);
      assert.ok(store.get(task.id));
    });

    it('of a machine that sleeps for weeks, until the gateway has run for a day', () => {
      const task = make();
      now += 60 * dayMs;
      make();
      assert.ok(store.get(task.id));
      run(minExpiredMs + hourMs);
      assert.equal(store.get(task.id), undefined);
    });
  });

  it('counts the running time of several gateways only once', () => {
    const task = make();
    const others = Array.from({ length: 5 }, start);
    now += 30 * dayMs;
    for (let hour = 0; hour < 20; hour++) {
      run(hourMs);
      for (const other of others) other.list({ limit: 1, statuses: taskStatuses });
    }
    assert.ok(store.get(task.id));
  });

  it('lists the tasks of one credential, and has separate idempotency keys for each credential', () => {
    const created = [undefined, 'ci', 'other'].map((owner) =>
      make({}, { idempotencyKey: 'k', ...(owner !== undefined && { owner }) }),
    );
    assert.equal(new Set(ids(created)).size, 3);
    assert.deepEqual(
      created.map(({ id }) => store.get(id)),
      created,
    );
    assert.deepEqual(ids(all({ owner: 'ci' }).tasks), [created[1]?.id]);
    assert.deepEqual(all({ owner: 'missing' }).tasks, []);
    assert.equal(all().tasks.length, 3);
    assert.equal(make({}, { idempotencyKey: 'k', owner: 'ci' }).id, created[1]?.id);
  });

  it('stores the states that upstreams report, and never changes an ended state', () => {
    const draft = { upstream: 'one', model: 'm', requestId: 'r', fingerprint: 'f', prompt: 'A cat' };
    const { task } = store.createUpstreamTask({ ...draft, format: 'videos' });
    assert.deepEqual(store.get(task.id), task);
    assert.deepEqual(ids(all({ statuses: ['unknown'] }).tasks), [task.id]);
    const report = { progress: 5, results: [{ url: 'https://a.example/x' }] };
    const due = () => {
      now += 300_000;
      return ids(store.takeDue());
    };
    store.changeState(task.id, { status: 'running', report: report, upstreamId: 'video_1' });
    assert.deepEqual(due(), [task.id]);
    assert.deepEqual(ids(store.takeDue()), [], 'the task was just read');
    assert.equal(store.delete(task.id), false);
    store.changeState(task.id, {
      status: 'completed',
      report: report,
      finishedAt: now,
      upstreamId: 'video_1',
    });
    store.changeState(task.id, { status: 'running', report: report, upstreamId: 'video_1' });
    assert.equal(readTaskState(store.get(task.id) ?? task, now).status, 'completed');
    assert.deepEqual(due(), [task.id], 'its result is not stored yet');
    store.storeResults(task.id, {
      0: { file: `${task.id}-0`, bytes: 1, mimeType: 'video/mp4', digest: 'd' },
    });
    assert.deepEqual(due(), []);
    run(retentionMs + minExpiredMs + 2 * hourMs);
    assert.equal(store.get(task.id), undefined);
  });
});
