import assert from 'node:assert/strict';
import { readTold, tellsOf } from '../../../../src/localGateway/tasks/remoteTask.ts';

const before = { format: 'responses', createdAt: 1_000, told: { progress: 0, results: [] } } as const;

describe('what an upstream tells of a task', () => {
  it('says why a response ended before it was complete, and keeps what there is of it', () => {
    const record = {
      ...{ id: 'resp_1', status: 'incomplete', output: [{ type: 'message' }] },
      incomplete_details: { reason: 'max_output_tokens' },
    };
    const { status, told } = readTold(record, before, 2_000) ?? {};
    assert.equal(status, 'failed');
    assert.equal(told?.failure?.message, 'max_output_tokens');
    assert.deepEqual(told?.record, record);
  });

  it('holds no result in data without a byte', () => {
    const record = {
      output: { task_id: 'a', task_status: 'SUCCEEDED', video_url: 'data:video/mp4;base64,' },
    };
    const { status, told, inline } = readTold(record, { ...before, format: 'videoSynthesis' }, 2_000) ?? {};
    assert.deepEqual([status, told?.results, inline?.size], ['completed', [], 0]);
  });

  it('is of a task where it names its id, and of none otherwise', () => {
    const of = (record: object, format: Parameters<typeof tellsOf>[1]['format'] = 'videos') =>
      tellsOf({ ...record }, { format, upstreamId: 'a' });
    assert.ok(of({ id: 'a' }) && of({ output: { task_id: 'a' } }, 'videoSynthesis'));
    assert.ok(tellsOf({ id: 7 }, { format: 'responses', upstreamId: '7' }));
    for (const record of [
      {},
      { id: 'b' },
      { id: 7 },
      { error: { message: 'x' } },
      { output: { task_id: 'a' } },
    ])
      assert.equal(of(record), false);
    assert.equal(tellsOf({ id: 'a' }, { format: 'videos' }), false);
  });
});
