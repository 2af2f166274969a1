import assert from 'node:assert/strict';
import { once } from 'node:events';
import net, { type AddressInfo, type Server } from 'node:net';
import { PendingSockets } from '../../../src/client/transports/nodeHttpsTransport.ts';

describe('the sockets that are opened for a request', () => {
  let server: Server;
  const connect = () => net.connect((server.address() as AddressInfo).port, '127.0.0.1');

  beforeEach(async () => {
    server = net.createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(async () => {
    server.close();
    await once(server, 'close');
  });

  it('are closed once the request is abandoned, including sockets that are opened later', async () => {
    const opening = new PendingSockets();
    const mayContinue = Promise.withResolvers<void>();
    let early: net.Socket | undefined;
    const late = opening.watch(async () => {
      early = connect();
      await mayContinue.promise;
      return connect();
    });
    assert.ok(early);
    opening.abandon();
    await once(early, 'close');
    mayContinue.resolve();
    await once(await late, 'close');
  });

  it('are not closed once the request has its connection', async () => {
    const opening = new PendingSockets();
    const socket = opening.watch(connect);
    await once(socket, 'connect');
    opening.release();
    opening.abandon();
    assert.equal(socket.destroyed, false);
    socket.destroy();
  });

  it('do not include sockets that are opened outside the request after its failure', async () => {
    const opening = new PendingSockets();
    opening.abandon();
    const socket = await new Promise<net.Socket>((resolve) => {
      opening.watch(() =>
        setImmediate(() => opening.runOutside(() => setImmediate(() => resolve(connect())))),
      );
    });
    await once(socket, 'connect');
    socket.destroy();
  });
});
