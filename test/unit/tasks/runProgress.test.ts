import assert from 'node:assert/strict';
import { isQueued, RunProgress } from '../../../src/tasks/runProgress.ts';
import type { Task } from '../../../src/tasks/task.ts';
import { TypicalRuns } from '../../../src/tasks/typicalRuns.ts';

const task: Task = {
  ...{ key: 'k', gateway: 'demo', gatewayName: 'Demo', route: 'videoSynthesis', prompt: '', model: 'film' },
  ...{ status: 'running', watching: 'on', taskId: 'task-1', intendedAt: 0, acceptedAt: 1000, results: [] },
};

function runProgress(typicalMs?: number): RunProgress {
  return new RunProgress(new TypicalRuns(() => typicalMs));
}

describe('how far a running task is', () => {
  it('is not said in the queue, whatever the gateway and earlier tasks say', () => {
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
      assert.equal(runProgress(1000).of(queued), undefined, rawStatus);
    }
    for (const rawStatus of ['running', 'in_progress', 'starting', 'unheard of', undefined])
      assert.equal(isQueued({ ...task, ...(rawStatus && { rawStatus }) }), false, rawStatus);
  });

  it('is what the gateway says, else an estimate by earlier tasks, else unknown', () => {
    assert.deepEqual(runProgress(500).of({ ...task, progress: 30 }), { kind: 'told', percent: 30 });
    const estimate = { kind: 'estimated', startedAt: 1000, typicalMs: 500 };
    assert.deepEqual(runProgress(500).of(task), estimate);
    assert.deepEqual(runProgress(500).of({ ...task, progress: 0 }), estimate);
    assert.equal(runProgress().of(task), undefined);
  });

  it('is not estimated of a task that was made elsewhere, at a time that nobody here knows', () => {
    const { route: _, ...elsewhere } = task;
    assert.equal(runProgress(500).of(elsewhere), undefined);
  });

  it('goes back with a word where the gateway does', () => {
    const progress = runProgress();
    const at = (percent: number) => progress.of({ ...task, progress: percent });
    assert.deepEqual(at(60), { kind: 'told', percent: 60 });
    assert.deepEqual(at(40), { kind: 'told', percent: 40, backFrom: 60 });
    assert.deepEqual(at(60), { kind: 'told', percent: 60 });
    assert.deepEqual(progress.of({ ...task, key: 'other', progress: 5 }), { kind: 'told', percent: 5 });
  });

  it('is estimated by the same time from first to last, whatever else ends meanwhile', () => {
    let typicalMs = 500;
    const progress = new RunProgress({ of: () => typicalMs } as unknown as TypicalRuns);
    assert.ok(progress.of(task));
    typicalMs = 9000;
    assert.deepEqual(progress.of(task), { kind: 'estimated', startedAt: 1000, typicalMs: 500 });
    assert.equal(progress.of({ ...task, status: 'completed' }), undefined);
    assert.deepEqual(progress.of(task), { kind: 'estimated', startedAt: 1000, typicalMs: 9000 });
  });
});
