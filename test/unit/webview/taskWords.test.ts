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
  tile,
  results: [],
  buttons: [],
  mainButtons: 0,
  recipe: [],
  timeline: [],
  failedPolls: [],
};

function reportPercent(percent: number): TaskView {
  return { ...running, tile: { ...tile, progress: { kind: 'reported', percent } } };
}

/** A running task with an estimated progress of this percentage at time 0. */
function estimatePercent(percent: number): TaskView {
  const progress = { kind: 'estimated', startedAt: -percent, typicalMs: 80 } as const;
  return { ...running, tile: { ...tile, progress } };
}

function announce(before: TaskView, after: TaskView): string {
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
    assert.equal(announce(running, failed), 'Failed. The content filter stopped it');
    assert.equal(announce(failed, failed), '');
  });

  it('contain the progress when another quarter is done, and not in between', () => {
    assert.equal(announce(running, reportPercent(1)), '');
    assert.equal(announce(reportPercent(1), reportPercent(24)), '');
    assert.equal(announce(reportPercent(24), reportPercent(26)), '26 %');
    assert.equal(announce(reportPercent(26), reportPercent(49)), '');
    assert.equal(announce(reportPercent(49), reportPercent(50)), '50 %');
    assert.equal(announce(reportPercent(50), reportPercent(30)), '');
    assert.equal(announce(running, estimatePercent(60)), 'about 60 %');
    assert.equal(announce(estimatePercent(60), estimatePercent(200)), '');
  });

  it('contain a result that is saved or has failed, but not its progress', () => {
    const media = { kind: 'video', src: 'a', mimeType: 'video/mp4' } as const;
    const saved = withResult({ media, status: 'Saved, 61 kB' });
    const failed = withResult({ hasFailed: true, status: 'The link has expired' });
    assert.equal(announce(running, withResult({ status: 'Downloading, 40 %' })), '');
    assert.equal(announce(withResult({}), saved), 'Saved, 61 kB');
    assert.equal(announce(saved, saved), '');
    assert.equal(announce(withResult({}), failed), 'The link has expired');
    assert.equal(announce(failed, failed), '');
  });
});
