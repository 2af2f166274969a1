import assert from 'node:assert/strict';
import { decodeTask } from '../../../src/wire/apis/taskRecord/decodeTask.ts';
import { SteadyRecord } from '../../../src/wire/apis/taskRecord/taskStatus.ts';

/** Every known state word of gateways in its original spelling, grouped by meaning. */
const words = {
  running:
    'queued Queueing queuing InQueue IN_QUEUE in_queue pending PENDING submitted SUBMITTED created accepted ' +
    'received new init initializing initialized waiting wait WAIT scheduled NOT_START not_started Preparing ' +
    'preprocessing validating starting started booting assigned running RUNNING RUN in_progress IN_PROGRESS ' +
    'InProgress in-progress processing Processing PROCESSING process generating handling dreaming working ' +
    'rendering post-processing finalizing archiving uploading saving THROTTLED SUSPENDED suspended paused ' +
    'updating active MODAL cancelling canceling CANCELLATION_REQUESTED requires_continuation JOB_STATE_QUEUED ' +
    'JOB_STATE_PENDING JOB_STATE_RUNNING JOB_STATE_CANCELLING JOB_STATE_PAUSED JOB_STATE_UPDATING ' +
    'TASK_STATUS_PROCESSING STATUS_RUNNING',
  completed:
    'completed COMPLETED Completed complete succeeded SUCCEEDED Succeed succeed success SUCCESS Success ' +
    'successed successful done DONE finished finish JOB_STATE_SUCCEEDED JOB_STATE_PARTIALLY_SUCCEEDED',
  failed:
    'failed FAILED Failed fail FAIL failure FAILURE error Error errored timeout timed_out expired rejected ' +
    'blocked moderated incomplete budget_exceeded banned not_found skipped crashed dead deleted ' +
    'JOB_STATE_FAILED JOB_STATE_EXPIRED',
  cancelled:
    'cancelled CANCELLED canceled CANCELED CANCEL aborted stopped terminated revoked JOB_STATE_CANCELLED',
  'needs-attention': 'requires_action input_required input-required auth_required',
} as const;

const phrases = {
  running: [
    'en cours',
    'in Bearbeitung',
    '処理中',
    'Queued ',
    ' in progress',
    '生成中',
    '排队中',
    'NotCompleted',
    'taskStatusNotCompleted',
    'upscaling',
    'AUDIO_MIXING',
    'post-encoding',
    '正在排队中',
    '変換中',
    '변환중',
  ],
  completed: [
    'partial_success',
    'completed_with_errors',
    'Terminé',
    'completado',
    'Abgeschlossen',
    'готово',
    '完了',
    '완료',
    'Completed.',
    'Completed (with warnings)',
    'success_partial',
    '渲染完成',
    '変換完了',
    '변환완료',
    '已完成',
    '成功',
    'taskStatusCompleted',
    'TaskState/SUCCEEDED',
  ],
  failed: [
    '失败',
    '生成失败',
    'échoué',
    'fehlgeschlagen',
    'falló',
    'ошибка',
    '失敗',
    '실패',
    'GENERATE_MP4_FAILED',
    'jobState.Failed',
    'FAILED_SAFETY',
    'EXPIRED_IN_QUEUE',
    'MODERATION_REJECTED',
    'unsuccessful',
    'failed: out of memory',
    '处理失败',
    '生成に失敗しました',
    '변환실패',
    'Request Moderated',
    'Content Moderated',
    'Task not found',
    'timed out',
  ],
  cancelled: ['已取消', 'annulé', 'отменено', 'キャンセル', 'CANCELLED_BY_USER', 'user cancelled'],
  'needs-attention': ['input required'],
} as const;

function readClass(record: unknown, httpStatus?: number): string {
  const { status, failedAs } = decodeTask(record, httpStatus === undefined ? {} : { httpStatus });
  return failedAs ?? status;
}

describe('the status of a task', () => {
  for (const [meaning, list] of Object.entries(words)) {
    it(`is ${meaning} for any of its words, which are stored unchanged`, () => {
      for (const word of [...list.split(' '), ...phrases[meaning as keyof typeof phrases]]) {
        assert.equal(readClass({ id: 't', status: word }), meaning, word);
        assert.equal(decodeTask({ id: 't', status: word }).rawStatus, word);
      }
    });
  }

  it('F73 is running for an unknown word and without a word', () => {
    for (const record of [
      { id: 't', status: 'moderating' },
      { id: 't', status: 'UNKNOWN' },
      { id: 't', status: '' },
      { id: 't', status: null },
      { id: 't' },
      {},
      [],
      null,
      undefined,
      'running',
      7,
    ]) {
      assert.equal(readClass(record), 'running', JSON.stringify(record));
    }
    assert.equal(decodeTask({ id: 't', status: 'moderating' }).rawStatus, 'moderating');
  });

  it('F73 is completed for an unknown word with a result and a finishing time or 100 percent', () => {
    const video_url = 'https://files.example/v.mp4';
    const finished_at = '2026-01-01T00:00:00Z';
    for (const proof of [{ finished_at }, { progress: 100 }, { progress: '100%', finished_at }])
      assert.equal(readClass({ id: 't', status: 'zzz', video_url, ...proof }), 'completed');
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const doubts: readonly object[] = [
      { progress: 60 },
      { progress: 60, finished_at },
      { finished_at: later },
      { progress: 100, steps: [{ status: 'completed' }, { status: 'running' }] },
      { progress: 100, message: 'Die Prüfung: request rejected' },
      { progress: 100, video_url: undefined, results: [{ type: 'preview', url: video_url }] },
    ];
    for (const doubt of doubts)
      assert.equal(
        readClass({ id: 't', status: 'zzz', video_url, ...doubt }),
        'running',
        JSON.stringify(doubt),
      );
    assert.equal(
      readClass({ id: 't', status: 'zzz', video_url, finished_at, error: 'Ei onnistu' }),
      'failed',
    );
  });

  it('F73 is completed for an unknown word after the record contained the same result for a while', () => {
    const record = (query: string, more: object = {}) =>
      decodeTask({ id: 't', status: 'zzz', video_url: `https://files.example/v.mp4?${query}`, ...more });
    assert.deepEqual(record('s=1').results, []);
    assert.equal(record('s=1').unsureResults?.[0]?.url, 'https://files.example/v.mp4?s=1');
    const steady = new SteadyRecord();
    const reads = [0, 10_000, 20_000, 29_000, 31_000].map((at) => steady.update(record(`s=${at}`), at));
    assert.deepEqual(
      reads.map(({ status, results }) => [status, results.length]),
      [...Array.from({ length: 4 }, () => ['running', 0]), ['completed', 1]],
    );
    const changing = new SteadyRecord();
    for (let read = 0; read < 50; read += 1) {
      const { status } = changing.update(record('', { progress: read }), read * 10_000);
      assert.equal(status, 'running', 'its progress grows');
    }
  });

  it('F73 is running for a word of an activity in any record', () => {
    const video_url = 'https://files.example/v.mp4';
    const record = { id: 't', status: 'transcribing', video_url, progress: 100, finished_at: 1_765_500_000 };
    assert.equal(readClass(record), 'running');
    assert.equal(decodeTask(record).unsureResults, undefined);
  });

  it('F73 is failed for a completed word with only an error', () => {
    const video_url = 'https://files.example/v.mp4';
    assert.equal(readClass({ id: 't', status: 'COMPLETED', error: 'Request timed out' }), 'failed');
    assert.equal(readClass({ id: 't', status: 'FINISH', ErrCode: 70000, Message: 'No' }), 'failed');
    for (const fine of [{ error: 'none' }, { error: null }, { ErrCode: 0 }, { err_code: '' }, { errors: [] }])
      assert.equal(readClass({ id: 't', status: 'completed', ...fine }), 'completed', JSON.stringify(fine));
    assert.equal(readClass({ id: 't', status: 'completed', error: 'One of two', video_url }), 'completed');
  });

  it('F73 is that of its products if the task has no status', () => {
    const result = { status: 'succeed', url: 'https://files.example/v.mp4' };
    assert.equal(readClass({ taskId: 't', generations: [result, { status: 'processing' }] }), 'running');
    assert.equal(readClass({ taskId: 't', generations: [result, { status: 'failed' }] }), 'completed');
    assert.equal(
      readClass({ taskId: 't', generations: [{ status: 'failed' }, { status: 'failed' }] }),
      'failed',
    );
    assert.equal(readClass({ taskId: 't', steps: [{ status: 'failed' }] }), 'running');
  });

  it('is recognized after any prefix of a status', () => {
    const statuses = {
      running: 'TASK_STATE_SUBMITTED TASK_STATE_WORKING STATE_RUNNING VIDEO_GENERATION_STATUS_PROCESSING',
      completed:
        'TASK_STATE_COMPLETED STATE_SUCCEEDED STATUS_DONE JobStatus.SUCCEEDED task-state-completed ' +
        'RUN_STATUS_STATE_FINISHED TaskState.COMPLETED state:success',
      failed: 'TASK_STATE_FAILED STATE_ERROR OPERATION_STATE_EXPIRED TaskStatus.FAILED TASK_STATE_REJECTED',
      cancelled: 'TASK_STATE_CANCELLED STATE_ABORTED JobState.CANCELED',
      'needs-attention': 'TASK_STATE_INPUT_REQUIRED TASK_STATE_AUTH_REQUIRED',
    };
    for (const [meaning, list] of Object.entries(statuses)) {
      for (const word of list.split(' ')) assert.equal(readClass({ id: 't', status: word }), meaning, word);
    }
  });

  it('F73 is not recognized in a word that only contains a status', () => {
    const others =
      'NOT_COMPLETED STATE_NOT_COMPLETED WEBHOOK_FAILED URL_EXPIRED FAILED_RETRYING 未完成 部分失败 미완료 TASK_COMPLETED NOT_STATE_COMPLETED ' +
      'PREVIOUS_STATE_FAILED INVALID_STATUS_ERROR STATE_UNSPECIFIED ESTATE COMPLETED_STATE STATE_ STATE';
    for (const word of others.split(' ')) {
      assert.equal(readClass({ id: 't', status: word }), 'running', word);
    }
    assert.equal(readClass({ id: 't', status: 'INCOMPLETE' }), 'failed');
  });

  it('is found under each of its names', () => {
    for (const name of ['status', 'state', 'task_status', 'taskStatus', 'raw_status']) {
      assert.equal(readClass({ id: 't', [name]: 'failed' }), 'failed', name);
      for (const wrapper of ['data', 'output', 'task', 'result', 'response', 'interaction']) {
        assert.equal(readClass({ [wrapper]: { id: 't', [name]: 'failed' } }), 'failed', `${wrapper}.${name}`);
      }
    }
    assert.equal(readClass({ id: 't', status: { state: 'input-required' } }), 'needs-attention');
    assert.equal(readClass({ code: 200, data: [{ task_id: 't', status: 'failed' }] }), 'failed');
  });

  it('is the status of the task, not of the call', () => {
    assert.equal(readClass({ status: 'success', data: { task_id: 't', status: 'IN_PROGRESS' } }), 'running');
    assert.equal(readClass({ status: 'success', data: { task_id: 't' } }), 'running');
    assert.equal(readClass({ status: 'OK', data: { id: 't', state: 'failed' } }), 'failed');
    assert.equal(readClass({ status: 200, data: { id: 't' } }), 'running');
    assert.equal(readClass({ status: true, data: { id: 't' } }), 'running');
    assert.equal(readClass({ code: 200, data: { id: 't', status: 'failed' } }), 'failed');
    assert.equal(
      readClass({ id: 't', status: 'completed', data: { id: 'upstream', status: 'running' } }),
      'running',
    );
    assert.equal(readClass({ id: 't', status: 'failed', data: { status: 'running' } }), 'failed');
  });

  it('is cancelled if the record has a cancelled flag', () => {
    assert.equal(readClass({ id: 't', status: 'failed', cancelled: true }), 'cancelled');
    assert.equal(readClass({ id: 't', status: 'completed', canceled: true }), 'cancelled');
    assert.equal(readClass({ id: 't', status: 'running', cancelled: false }), 'running');
  });

  it('is derived from the record if there is no word', () => {
    const url = 'https://files.example/v.mp4';
    const cases: readonly (readonly [record: object, meaning: string])[] = [
      [{ name: 'models/m/operations/o' }, 'running'],
      [{ name: 'models/m/operations/o', done: false }, 'running'],
      [{ name: 'models/m/operations/o', done: true, response: {} }, 'completed'],
      [{ name: 'models/m/operations/o', done: true, error: { code: 3, message: 'No' } }, 'failed'],
      [{ video: { url } }, 'completed'],
      [{ id: 't', video_url: url }, 'completed'],
      [{ id: 't', status: 30, data: { video_url: url } }, 'completed'],
      [{ id: 't', status: 10 }, 'running'],
      [{ id: 't', status: 2, video_url: url, finish_time: 1_700_000_000 }, 'completed'],
      [{ Code: 0, Data: { TaskId: 't', TaskStatus: 2, VideoUrl: url } }, 'completed'],
      [{ task_id: 't', task_status: 3 }, 'running'],
      [{ task_id: 't', task_status: 3, finish_time: 1_700_000_000 }, 'running'],
      [{ task_id: 't', task_status: 3, fail_reason: 'It broke' }, 'failed'],
      [{ task_id: 't', task_status: 3, error_code: 1_201, error_msg: 'It broke' }, 'failed'],
      [{ id: 't', status: 'moderating', video_url: url }, 'running'],
      [{ id: 't', error: { code: 'x', message: 'It broke' } }, 'failed'],
      [{ id: 't', error: 'It broke' }, 'failed'],
      [{ id: 't', status: 'moderating', error: { message: 'It broke' } }, 'failed'],
      [{ id: 't', completed_at: 1_700_000_000 }, 'running'],
      [{ id: 't', progress: 100 }, 'running'],
      [{ id: 't', status: 'archiving', progress: 100 }, 'running'],
    ];
    for (const [record, meaning] of cases) assert.equal(readClass(record), meaning, JSON.stringify(record));
  });

  it('has a reason from nested objects and lists of any depth', () => {
    const depth = 50_000;
    const nested = (inner: string) => '{"message":['.repeat(depth) + inner + ']}'.repeat(depth);
    const task = decodeTask(JSON.parse(`{"id":"a","status":"failed","error":${nested('"Not today."')}}`));
    assert.equal(task.error?.message, 'Not today.');
  });

  it('is not failed for an empty error', () => {
    for (const error of [null, {}, [], '', 0, false, { code: 0, message: '' }]) {
      assert.equal(readClass({ id: 't', status: 'moderating', error }), 'running', JSON.stringify(error));
      assert.equal(
        readClass({ id: 't', error, err_code: '', failMsg: '' }),
        'running',
        JSON.stringify(error),
      );
    }
  });

  it('is running for a 202 or 204 reply without a failed status', () => {
    assert.equal(readClass(undefined, 202), 'running');
    assert.equal(readClass({}, 204), 'running');
    assert.equal(readClass({ video: { url: 'https://files.example/v' } }, 202), 'running');
    assert.equal(readClass({ status: 'failed' }, 202), 'failed');
  });

  it('is completed for an ambiguous word only with a result', () => {
    assert.equal(readClass({ id: 't', status: 'ready' }), 'running');
    assert.equal(readClass({ id: 't', status: 'Ready', result: { sample: 1 } }), 'running');
    assert.equal(readClass({ id: 't', status: 'Ready', video_url: 'https://files.example/v' }), 'completed');
  });

  it('is failed if the result was filtered', () => {
    assert.equal(readClass({ status: 'done', video: { url: '', respect_moderation: false } }), 'failed');
    const filtered = { raiMediaFilteredCount: 1, raiMediaFilteredReasons: ['Not this'] };
    const operation = { name: 'o/1', done: true, response: { generateVideoResponse: filtered } };
    assert.equal(readClass(operation), 'failed');
    assert.equal(decodeTask(operation).error?.message, 'Not this');
  });
});
