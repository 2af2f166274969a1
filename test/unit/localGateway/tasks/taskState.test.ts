import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createPlannedTask, readTaskState } from '../../../../src/localGateway/tasks/taskState.ts';
import { taskStatuses } from '../../../../src/wire/apis/taskRecord/taskRecordFormat.ts';
import { anyPlan, createPlan } from '../plans.ts';

describe('the state of a task', () => {
  const order = { upstream: 'demo', model: 'demo/video', requestId: 'r' };
  const start = 1_000_000;
  const taskWith = (change: Parameters<typeof createPlan>[0] = {}) =>
    createPlannedTask({ ...order, plan: createPlan({ queueMs: 2_000, runMs: 8_000, ...change }) }, start);

  it('is computed from the clock: queued, running with progress, completed', () => {
    const task = taskWith({ resultLifetimeMs: 500 });
    const at = (ms: number) => readTaskState(task, start + ms);
    const startedAt = start + 2_000;
    assert.deepEqual(at(0), { status: 'queued', progress: 0 });
    assert.deepEqual(at(1_999), { status: 'queued', progress: 0 });
    assert.deepEqual(at(2_000), { status: 'running', progress: 0, startedAt });
    assert.deepEqual(at(6_000), { status: 'running', progress: 50, startedAt });
    assert.deepEqual(at(9_999), { status: 'running', progress: 99, startedAt });
    const end = { status: 'completed', progress: 100, startedAt };
    assert.deepEqual(at(10_000), { ...end, finishedAt: start + 10_000, expiresAt: start + 10_500 });
    assert.deepEqual(at(9_999_999), at(10_000));
  });

  it('ends early with the reached progress for a failing task', () => {
    const failure = { code: 'x', message: 'why', progress: 50 };
    assert.deepEqual(readTaskState(taskWith({ failure }), start + 6_000), {
      status: 'failed',
      progress: 50,
      startedAt: start + 2_000,
      finishedAt: start + 6_000,
    });
  });

  it('stays running for a task that never ends', () => {
    assert.equal(readTaskState(taskWith({ hasEnd: false }), start + 1e12).progress, 99);
    assert.equal(readTaskState(taskWith({ hasEnd: false }), start + 1e12).status, 'running');
  });

  it('stays as it was when the task was cancelled', () => {
    const task = taskWith();
    const cancelled = (ms: number) => readTaskState({ ...task, cancelledAt: start + ms }, start + 1e9);
    const finished = (ms: number) => ({ status: 'cancelled', finishedAt: start + ms });
    assert.deepEqual(cancelled(1_000), { ...finished(1_000), progress: 0 });
    assert.deepEqual(cancelled(6_000), { ...finished(6_000), progress: 50, startedAt: start + 2_000 });
  });

  it('F74 F78 only moves forward, and its progress never decreases and is 100 only when completed', () => {
    fc.assert(
      fc.property(anyPlan, fc.array(fc.nat(30_000), { minLength: 2 }), (plan, times) => {
        const task = createPlannedTask({ ...order, plan }, start);
        const states = times.toSorted((a, b) => a - b).map((time) => readTaskState(task, start + time));
        states.reduce((before, state) => {
          assert.ok(taskStatuses.indexOf(state.status) >= taskStatuses.indexOf(before.status));
          assert.ok(state.progress >= before.progress && state.progress <= 100);
          assert.equal(state.progress === 100, state.status === 'completed');
          return state;
        });
      }),
    );
  });

  it('T7 has an id of letters, digits, hyphens and underscores', () => {
    for (let i = 0; i < 100; i++) assert.match(taskWith().id, /^[A-Za-z0-9_-]{20,128}$/);
  });
});
