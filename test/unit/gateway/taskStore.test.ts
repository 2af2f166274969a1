import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type StoredTask, stateOf, taskStatuses } from '../../../src/gateway/taskState.ts';
import { keptMs, openTaskDatabase, type TaskDraft, TaskStore } from '../../../src/gateway/taskStore.ts';
import type { VideoPlan } from '../../../src/gateway/upstreams/upstream.ts';
import { anyPlan, planOf } from './plans.ts';

describe('the store of tasks', () => {
  let now: number;
  let store: TaskStore;

  beforeEach(() => {
    now = 1_000_000_000_000;
    store = new TaskStore(openTaskDatabase(':memory:'), () => now);
  });
  afterEach(() => store.close());

  function make(plan: Partial<VideoPlan> = {}, change: Partial<TaskDraft> = {}): StoredTask {
    const draft = { upstream: 'demo', model: 'demo/video', requestId: 'r', fingerprint: 'f', ...change };
    return store.create({ ...draft, plan: planOf(plan) }).task;
  }
  const ids = (tasks: readonly StoredTask[]) => tasks.map(({ id }) => id);
  const all = (query: Partial<Parameters<TaskStore['list']>[0]> = {}) =>
    store.list({ limit: 100, statuses: taskStatuses, ...query });

  it('gives back what it was given', () => {
    const task = make({ prompt: 'A cat \u{1f408} "\0"', failure: { code: 'x', message: 'y', progress: 3 } });
    assert.deepEqual(store.get(task.id), task);
    assert.equal(store.get('task_other'), undefined);
  });

  it('lists newest first, whatever the clock does', () => {
    const tasks = [make(), make()];
    now -= 86_400_000;
    tasks.push(make());
    assert.deepEqual(ids(all().tasks), ids(tasks).toReversed());
  });

  for (const deleted of [0, -1]) {
    it(`shows each task on one page, also when some are made and deleted (${deleted}) meanwhile`, () => {
      const tasks = Array.from({ length: 25 }, () => make());
      const seen: string[] = [];
      let before: number | undefined;
      do {
        const page = all({ limit: 10, before });
        seen.push(...ids(page.tasks));
        make();
        store.delete(page.tasks.at(deleted)?.id ?? '');
        before = page.next;
      } while (before !== undefined);
      assert.deepEqual(seen, ids(tasks).toReversed());
    });
  }

  it('knows the last page by itself', () => {
    for (let i = 0; i < 10; i++) make();
    assert.equal(all({ limit: 10 }).next, undefined);
    assert.notEqual(all({ limit: 9 }).next, undefined);
  });

  it('finds by state what reading would show to be in that state', () => {
    fc.assert(
      fc.property(
        fc.array(anyPlan, { maxLength: 8 }),
        fc.nat(20_000),
        fc.nat(20_000),
        (plans, wait, more) => {
          const made = plans.map((plan) => make(plan));
          now += wait;
          for (const { id } of made.filter((_, i) => i % 3 === 0)) store.cancel(id);
          now += more;
          for (const status of taskStatuses) {
            const found = all({ statuses: [status] }).tasks;
            const expected = all().tasks.filter((task) => stateOf(task, now).status === status);
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

  it('cancels what has not ended and can be cancelled, once', () => {
    const running = make({ runMs: 1_000 });
    assert.equal(store.cancel(running.id), true);
    const cancelledAt = now;
    now += 500;
    assert.equal(store.cancel(running.id), false);
    assert.equal(store.get(running.id)?.cancelledAt, cancelledAt);
    assert.equal(store.cancel(make().id), false);
    assert.equal(store.cancel(make({ runMs: 1_000, cancellable: false }).id), false);
    assert.equal(store.cancel(make({ ends: false }).id), true);
    assert.equal(store.cancel('task_other'), false);
  });

  it('deletes what has ended only', () => {
    const running = make({ runMs: 1_000 });
    assert.equal(store.delete(running.id), false);
    now += 1_000;
    assert.equal(store.delete(running.id), true);
    assert.equal(store.get(running.id), undefined);
    assert.equal(store.delete(running.id), false);
  });

  it('F69 F70 makes one task for one key, however often it is asked', () => {
    const first = make({}, { idempotencyKey: 'k' });
    now += 5_000;
    const draft = { upstream: 'demo', model: 'other', requestId: 's', plan: planOf(), idempotencyKey: 'k' };
    assert.deepEqual(store.create({ ...draft, fingerprint: 'f' }), { task: first, repeats: 'same' });
    assert.deepEqual(store.create({ ...draft, fingerprint: 'g' }), { task: first, repeats: 'other' });
    assert.equal(all().tasks.length, 1);
    make();
    make();
    assert.equal(all().tasks.length, 3);
  });

  it('forgets a task a week after its end, and not before', () => {
    const task = make({ runMs: 1_000 });
    const endless = make({ ends: false });
    now += keptMs + 1_000;
    make();
    assert.ok(store.get(task.id));
    assert.equal(store.get(endless.id), undefined);
    now += 1;
    make();
    assert.equal(store.get(task.id), undefined);
  });
});
