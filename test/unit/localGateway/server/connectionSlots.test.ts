import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { Socket } from 'node:net';
import {
  computeConnectionLimits,
  limitConnections,
  readOpenFileLimit,
} from '../../../../src/localGateway/server/connectionSlots.ts';

describe('the connections of the local gateway', () => {
  it('F112 are limited by the number of open files, up to 1,024', () => {
    assert.deepEqual(computeConnectionLimits(), { connections: 1_024, extraConnections: 3_072 });
    assert.deepEqual(computeConnectionLimits(1_048_576), { connections: 1_024, extraConnections: 3_072 });
    for (const files of [0, 64, 100, 200, 256, 1_024, 2_000, 4_096]) {
      const { connections, extraConnections } = computeConnectionLimits(files);
      assert.ok(connections >= 8 && connections <= 1_024 && extraConnections >= 0);
      if (files >= 200) assert.ok(2 * connections + extraConnections + 64 <= files, String(files));
    }
  });

  it('F112 never exceed the limit, even if all arrive at the same moment', () => {
    const server = createServer();
    limitConnections(server, { connections: 3, extraConnections: 2 });
    const sockets = Array.from({ length: 20 }, () => new Socket());
    for (const socket of sockets) server.emit('connection', socket);
    assert.deepEqual(
      sockets.map(({ destroyed }) => destroyed),
      sockets.map((_, i) => i < 15),
    );
    for (const socket of sockets) socket.destroy();
  });

  it('F112 use the limit of open files of the system, if it is known', () => {
    const files = readOpenFileLimit();
    if (process.platform === 'linux') assert.ok(Number(files) >= 256, String(files));
    else assert.ok(files === undefined || files > 0);
  });
});
