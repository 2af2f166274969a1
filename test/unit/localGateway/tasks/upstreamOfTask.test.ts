import assert from 'node:assert/strict';
import { readRecord } from '../../../../src/localGateway/tasks/upstreamOfTask.ts';

describe('the record in a reply', () => {
  async function recordIn(...pieces: readonly (string | Uint8Array)[]) {
    async function* body() {
      yield* pieces;
    }
    return readRecord({ status: 200, headers: {}, body: body() });
  }

  it('F42 may start with a byte order mark, for any split', async () => {
    assert.deepEqual(await recordIn('\ufeff{"id":"video_1"}'), { id: 'video_1' });
    const bytes = Buffer.from('\ufeff{"id":"video_1"}');
    assert.deepEqual(await recordIn(bytes.subarray(0, 2), bytes.subarray(2)), { id: 'video_1' });
  });

  it('is undefined if the reply does not contain an object', async () => {
    for (const text of ['', 'null', '[{}]', '"a"', '{', '\ufeff\ufeff{}'])
      assert.equal(await recordIn(text), undefined, text);
  });
});
