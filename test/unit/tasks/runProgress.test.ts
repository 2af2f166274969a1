import assert from 'node:assert/strict';
import type { Task } from '../../../src/tasks/record/task.ts';
import { computeProgress, isQueued, TypicalRuns } from '../../../src/tasks/runProgress.ts';

const task: Task = {
  key: 'k',
  gateway: 'demo',
  gatewayName: 'Demo',
  route: 'videoSynthesis',
  prompt: '',
  model: 'film',
  status: 'running',
  watching: 'on',
  taskId: 'task-1',
  intendedAt: 0,
  acceptedAt: 1000,
  results: [],
};

/** The progress of a task if earlier tasks typically took this time, in milliseconds. */
function computeFor(task: Task, typicalMs?: number) {
  return computeProgress(task, new TypicalRuns(() => typicalMs));
}

describe('the progress of a running task', () => {
  it('is unknown in the queue, also with a reported progress and earlier tasks', () => {
    const words = [
      'queued',
      'IN_QUEUE',
      'PENDING',
      'JOB_STATE_QUEUED',
      'submitted',
      '排队中',
      'queue_position_3',
    ];
    for (const rawStatus of words) {
      const queued = { ...task, rawStatus, progress: 30 };
      assert.equal(isQueued(queued), true, rawStatus);
      assert.equal(computeFor(queued, 1000), undefined, rawStatus);
    }
    for (const rawStatus of ['running', 'in_progress', 'starting', 'unheard of', undefined])
      assert.equal(isQueued({ ...task, ...(rawStatus && { rawStatus }) }), false, rawStatus);
  });

  it('is the reported percentage, else an estimate from earlier tasks, else unknown', () => {
    assert.deepEqual(computeFor({ ...task, progress: 30 }, 500), { kind: 'reported', percent: 30 });
    const estimate = { kind: 'estimated', startedAt: 1000, typicalMs: 500 };
    assert.deepEqual(computeFor(task, 500), estimate);
    assert.deepEqual(computeFor({ ...task, progress: 0 }, 500), estimate);
    assert.equal(computeFor(task), undefined);
  });

  it('is not estimated for an adopted task, whose start time is unknown', () => {
    const { route: _, ...elsewhere } = task;
    assert.equal(computeFor(elsewhere, 500), undefined);
  });

  it('decreases if the gateway reports less, and contains the highest percentage so far', () => {
    assert.deepEqual(computeFor({ ...task, progress: 60, maxPercent: 60 }), {
      kind: 'reported',
      percent: 60,
    });
    const back = { kind: 'reported', percent: 40, previousPercent: 60 };
    assert.deepEqual(computeFor({ ...task, progress: 40, maxPercent: 60 }), back);
    assert.deepEqual(computeFor({ ...task, progress: 40 }), { kind: 'reported', percent: 40 });
  });

  it('is estimated from the same typical duration until the end, even if other tasks end', () => {
    const requests: number[] = [];
    let typicalMs: number | undefined = 500;
    const typicalRuns = new TypicalRuns((_, startedAt) => {
      requests.push(startedAt);
      return typicalMs;
    });
    const estimate = { kind: 'estimated', startedAt: 1000, typicalMs: 500 };
    assert.deepEqual(computeProgress(task, typicalRuns), estimate);
    typicalMs = 9000;
    assert.deepEqual(computeProgress(task, typicalRuns), estimate);
    assert.deepEqual(requests, [1000], 'the durations of tasks that had ended before this one began');
  });
});
