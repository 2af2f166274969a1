import assert from 'node:assert/strict';
import { isRecordOf, readReportedState } from '../../../../src/localGateway/tasks/upstreamTask.ts';

const before = { format: 'responses', createdAt: 1_000, report: { progress: 0, results: [] } } as const;

describe('the upstream’s record of a task', () => {
  it('has the reason of an incomplete response as its failure, and is stored unchanged', () => {
    const record = {
      id: 'resp_1',
      status: 'incomplete',
      output: [{ type: 'message' }],
      incomplete_details: { reason: 'max_output_tokens' },
    };
    const { status, report } = readReportedState(record, before, 2_000) ?? {};
    assert.equal(status, 'failed');
    assert.equal(report?.failure?.message, 'max_output_tokens');
    assert.deepEqual(report?.record, record);
  });

  it('has no result if its data is empty', () => {
    const record = {
      output: { task_id: 'a', task_status: 'SUCCEEDED', video_url: 'data:video/mp4;base64,' },
    };
    const { status, report, inline } =
      readReportedState(record, { ...before, format: 'videoSynthesis' }, 2_000) ?? {};
    assert.deepEqual([status, report?.results, inline?.size], ['completed', [], 0]);
  });

  it('is accepted only if it contains the id of the task', () => {
    const of = (record: object, format: Parameters<typeof isRecordOf>[1]['format'] = 'videos') =>
      isRecordOf({ ...record }, { format, upstreamId: 'a' });
    assert.ok(of({ id: 'a' }) && of({ output: { task_id: 'a' } }, 'videoSynthesis'));
    assert.ok(isRecordOf({ id: 7 }, { format: 'responses', upstreamId: '7' }));
    for (const record of [
      {},
      { id: 'b' },
      { id: 7 },
      { error: { message: 'x' } },
      { output: { task_id: 'a' } },
    ])
      assert.equal(of(record), false);
    assert.equal(isRecordOf({ id: 'a' }, { format: 'videos' }), false);
  });
});
