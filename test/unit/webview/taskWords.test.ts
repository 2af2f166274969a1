import assert from 'node:assert/strict';
import type { ResultView, TaskView } from '../../../src/protocol/taskPage.ts';
import { describeTaskChanges } from '../../../src/webview/words/taskWords.ts';

const tile = {
  key: 'k',
  appearance: 'running',
  status: 'Running',
  model: 'm',
  prompt: '',
  startedAt: 0,
} as const;

const running: TaskView = {
  ...{ tile, results: [], buttons: [], mainButtons: 0, recipe: [], timeline: [], failedPolls: [] },
};

function at(percent: number): TaskView {
  return { ...running, tile: { ...tile, progress: { kind: 'reported', percent } } };
}

/** A running task with an estimated progress of this percentage at time 0. */
function estimated(percent: number): TaskView {
  const progress = { kind: 'estimated', startedAt: -percent, typicalMs: 80 } as const;
  return { ...running, tile: { ...tile, progress } };
}

function announcement(before: TaskView, after: TaskView): string {
  return describeTaskChanges(before, after, 0);
}

function withResult(result: Partial<ResultView>): TaskView {
  return { ...running, results: [{ index: 0, status: 'Waiting', hasFailed: false, buttons: [], ...result }] };
}

describe('screen reader announcements of a task', () => {
  it('contain a new status with its notice', () => {
    const notice = {
      title: 'The content filter stopped it',
      detail: '…',
      severity: 'error',
      buttons: [],
    } as const;
    const failed: TaskView = {
      ...running,
      tile: { ...tile, appearance: 'failed', status: 'Failed' },
      notice,
    };
    assert.equal(announcement(running, failed), 'Failed. The content filter stopped it');
    assert.equal(announcement(failed, failed), '');
  });

  it('contain the progress when another quarter is done, and not in between', () => {
    assert.equal(announcement(running, at(1)), '');
    assert.equal(announcement(at(1), at(24)), '');
    assert.equal(announcement(at(24), at(26)), '26 %');
    assert.equal(announcement(at(26), at(49)), '');
    assert.equal(announcement(at(49), at(50)), '50 %');
    assert.equal(announcement(at(50), at(30)), '');
    assert.equal(announcement(running, estimated(60)), 'about 60 %');
    assert.equal(announcement(estimated(60), estimated(200)), '');
  });

  it('contain a result that is saved or has failed, but not its progress', () => {
    const media = { kind: 'video', src: 'a', mimeType: 'video/mp4' } as const;
    const saved = withResult({ media, status: 'Saved, 61 kB' });
    const failed = withResult({ hasFailed: true, status: 'The link has expired' });
    assert.equal(announcement(running, withResult({ status: 'Downloading, 40 %' })), '');
    assert.equal(announcement(withResult({}), saved), 'Saved, 61 kB');
    assert.equal(announcement(saved, saved), '');
    assert.equal(announcement(withResult({}), failed), 'The link has expired');
    assert.equal(announcement(failed, failed), '');
  });
});
