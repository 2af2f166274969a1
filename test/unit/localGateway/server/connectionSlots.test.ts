import assert from 'node:assert/strict';
import { connectionLimits, openFileLimit } from '../../../../src/localGateway/server/connectionSlots.ts';

describe('the connections of the local gateway', () => {
  it('F112 are as many as the system gives files for, up to 1,024', () => {
    assert.deepEqual(connectionLimits(), { connections: 1_024, newcomers: 3_072 });
    assert.deepEqual(connectionLimits(1_048_576), { connections: 1_024, newcomers: 3_072 });
    for (const files of [0, 64, 100, 200, 256, 1_024, 2_000, 4_096]) {
      const { connections, newcomers } = connectionLimits(files);
      assert.ok(connections >= 8 && connections <= 1_024 && newcomers >= 0);
      if (files >= 200) assert.ok(2 * connections + newcomers + 64 <= files, String(files));
    }
  });

  it('learns how many files there are from the system', () => {
    const files = openFileLimit();
    assert.ok(files === undefined || files > 0);
  });
});
