import assert from 'node:assert/strict';
import dns from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, createServer, isIP } from 'node:net';
import { mock } from 'node:test';
import tls from 'node:tls';
import type { ExchangeRecord } from '../../src/client/types.ts';
import { startFaultServer } from '../support/faultServer.ts';
import { catchFailure, chatRequest, readError, withFaultServer } from '../support/faultServerCalls.ts';
import { makeCertificate } from '../support/faultServerCertificates.ts';

const ignore = () => {};
const unresolvable = `https://${'x'.repeat(64)}.example`;

for (const transport of ['direct', 'host'] as const) {
  describe(`requests to a gateway with network faults, ${transport} transport`, () => {
    it('F1 fail with the host name when it cannot be resolved', async () => {
      await withFaultServer(
        ignore,
        async ({ client }) => {
          const { kind, reason, message } = await catchFailure(client.listModels());
          assert.deepEqual([kind, reason], ['unreachable', 'dns']);
          assert.match(message, /x{64}\.example/);
        },
        { transport, baseUrl: unresolvable },
      );
    });

    it('F26 fail as challenged when a firewall replies 202 with a challenge header and no body', async () => {
      await withFaultServer(
        (connection) => connection.respond(202, { 'x-amzn-waf-action': 'challenge' }),
        async ({ client }) => {
          const { kind, reason, status } = await catchFailure(client.listModels());
          assert.deepEqual([kind, reason, status], ['unreachable', 'challenge', 202]);
        },
        { transport },
      );
    });

    it('F3 fail as refused when the gateway refuses connections', async () => {
      const server = await startFaultServer(ignore);
      await server.close();
      await withFaultServer(
        ignore,
        async ({ client }) => {
          const { outcome } = await client.chatCompletions(chatRequest, ignore);
          assert.equal(readError(outcome).reason, 'refused');
          assert.equal(outcome.kind, 'failed');
        },
        { transport, baseUrl: server.baseUrl },
      );
    });

    it('F8 fail after the connect timeout when the TLS handshake stalls', async () => {
      const silent = createServer().listen(0, '127.0.0.1');
      await once(silent, 'listening');
      await withFaultServer(
        ignore,
        async ({ client }) => {
          const { reason, message } = await catchFailure(client.listModels());
          assert.equal(reason, 'connect-timeout');
          assert.match(message, /within 80 ms/);
        },
        {
          transport,
          timeouts: { connect: 80 },
          baseUrl: `https://127.0.0.1:${(silent.address() as AddressInfo).port}`,
        },
      );
      silent.close();
    });

    it('F62 close the socket when stopped while connecting', async () => {
      const silent = createServer().listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const abort = new AbortController();
      await withFaultServer(
        ignore,
        async ({ client }) => {
          const call = catchFailure(client.listModels({ signal: abort.signal }));
          const [socket] = await once(silent, 'connection');
          socket.resume();
          abort.abort();
          assert.equal((await call).kind, 'cancelled');
          await once(socket, 'close');
        },
        { transport, baseUrl: `https://127.0.0.1:${(silent.address() as AddressInfo).port}` },
      );
      silent.close();
    });

    it('F10 F12 that break off without a reply are sent again once for a list, and never for a chat', async () => {
      for (const close of ['end', 'reset'] as const) {
        await withFaultServer(
          (connection) => connection[close](),
          async ({ server, client }) => {
            const { outcome } = await client.chatCompletions(chatRequest, ignore);
            assert.equal(readError(outcome).reason, 'reset');
            assert.equal(server.requests.length, 1);
            assert.equal((await catchFailure(client.listModels())).reason, 'reset');
            assert.equal(server.requests.length, 3);
          },
          { transport },
        );
      }
    });

    it('F11 for a list are sent again when the gateway had closed a reused connection', async () => {
      let requestCount = 0;
      await withFaultServer(
        (connection) =>
          ++requestCount === 2 ? connection.reset() : connection.respond(200, {}, '{"data":[{"id":"a"}]}'),
        async ({ client }) => {
          await client.listModels();
          assert.equal((await client.listModels()).length, 1);
          assert.equal(requestCount, 3);
        },
        { transport },
      );
    });

    it('F13 fail as not a gateway when the other side does not speak HTTP', async () => {
      await withFaultServer(
        (connection) => connection.write('SSH-2.0-OpenSSH_9.9\r\n'),
        async ({ client }) => {
          const { kind, reason, message } = await catchFailure(client.listModels());
          assert.deepEqual([kind, reason], ['unreachable', 'not-a-gateway']);
          assert.doesNotMatch(message, /SSH/);
        },
        { transport },
      );
    });

    it('F14 ignore informational replies before the real reply, for any split', async () => {
      const interim = [
        'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n',
        'HTTP/1.1 100 Continue\r\n\r\n',
        'HTTP/1.1 100 Continue\r\nx-a: b\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 100\r\n\r\n',
      ];
      const answer = (id: string) => `HTTP/1.1 200 OK\r\ncontent-length: 21\r\n\r\n{"data":[{"id":"${id}"}]}`;
      for (const head of interim) {
        for (const pieceLength of [1, 7, 1000]) {
          let requestCount = 0;
          await withFaultServer(
            async (connection) => {
              const response = head + answer(++requestCount === 1 ? 'a' : 'b');
              for (let at = 0; at < response.length; at += pieceLength)
                await connection.write(response.slice(at, at + pieceLength));
            },
            async ({ client }) => {
              assert.equal((await client.listModels())[0]?.id, 'a');
              assert.equal((await client.listModels())[0]?.id, 'b');
            },
            { transport },
          );
        }
      }
    });

    it('F14 that are paid are sent once and return the task when 100 Continue comes first', async () => {
      await withFaultServer(
        async (connection) => {
          await connection.write('HTTP/1.1 100 Continue\r\n\r\n');
          await connection.respond(200, {}, '{"id":"task-1","status":"running"}');
        },
        async ({ server, client }) => {
          const { id } = await client.startInteraction({ model: 'm', input: 'x' });
          assert.equal(id, 'task-1');
          assert.equal(server.requests.length, 1);
        },
        { transport },
      );
    });

    it('F14 fail at once when the gateway switches to another protocol', async () => {
      await withFaultServer(
        (connection) =>
          connection.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
        async ({ server, client }) => {
          const { reason, wasSent } = await catchFailure(client.startInteraction({ model: 'm', input: 'x' }));
          assert.deepEqual([reason, wasSent], ['reset', true]);
          assert.equal(server.requests.length, 1);
        },
        { transport },
      );
    });

    it('F15 fail after the first-byte timeout when the headers never end', async () => {
      await withFaultServer(
        (connection) => connection.write('HTTP/1.1 200 OK\r\nx-slow: '),
        async ({ client }) => {
          const { reason, message } = await catchFailure(client.listModels());
          assert.equal(reason, 'first-byte-timeout');
          assert.match(message, /within 60 ms/);
        },
        { transport, timeouts: { firstByte: 60 } },
      );
    });

    it('F16 fail when the headers are too large or contradictory', async () => {
      const heads = [
        `x-big: ${'x'.repeat(200_000)}`,
        'content-length: 1\r\ncontent-length: 2',
        'content-length: 1\r\ntransfer-encoding: chunked',
      ];
      for (const head of heads) {
        await withFaultServer(
          (connection) => connection.write(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n{`),
          async ({ client }) => assert.equal((await catchFailure(client.listModels())).kind, 'unreachable'),
          { transport },
        );
      }
    });
  });
}

describe('a base address that must not be used', () => {
  const addresses = [
    'gateway.example',
    'http://gateway.example',
    'https://u:p@gateway.example',
    'ftp://127.0.0.1',
  ];
  for (const baseUrl of addresses) {
    it(`is refused before the credential is read: ${baseUrl}`, async () => {
      await withFaultServer(
        ignore,
        async ({ client }) => {
          const { kind, message } = await catchFailure(client.listModels());
          assert.equal(kind, 'unreachable');
          assert.doesNotMatch(message, /u:p/);
        },
        { baseUrl, credential: () => Promise.reject(new Error('asked')) },
      );
    });
  }
});

/** Replaces the name servers. Returns the names that are looked up. */
function mockNameServers(answer: string | Error): readonly string[] {
  const requests: string[] = [];
  const lookUp = dns.lookup as (...args: unknown[]) => void;
  mock.method(dns, 'lookup', (name: string, options: unknown, done: (...found: unknown[]) => void) => {
    if (isIP(name)) return lookUp(name, options, done);
    requests.push(name);
    if (answer instanceof Error) done(answer);
    else done(null, [{ address: answer, family: 4 }]);
  });
  return requests;
}

describe('a gateway at a localhost name', () => {
  afterEach(() => mock.restoreAll());

  for (const transport of ['direct', 'host', 'auto'] as const) {
    for (const name of ['localhost', 'gateway.localhost', 'A.B.LOCALHOST.']) {
      it(`F6 is reached at ${name} without a DNS query, ${transport} transport`, async () => {
        const lookups = mockNameServers(new Error('a name server was queried'));
        const server = await startFaultServer((connection) => connection.respond(200, {}, '{"data":[]}'));
        await withFaultServer(ignore, async ({ client }) => assert.deepEqual(await client.listModels(), []), {
          transport,
          baseUrl: `http://${name}:${server.port}`,
        });
        await server.close();
        assert.deepEqual(lookups, []);
      });
    }
  }
});

describe('a request with an automatic choice of transport', () => {
  afterEach(() => mock.restoreAll());

  const listTransports = (exchanges: readonly ExchangeRecord[]) =>
    exchanges.map(({ transport }) => transport);

  it('is sent once over the other transport when the first cannot connect and no proxy is known', async () => {
    await withFaultServer(
      ignore,
      async ({ client, exchanges }) => {
        await catchFailure(client.listModels());
        assert.deepEqual(listTransports(exchanges), ['https']);
      },
      { baseUrl: unresolvable },
    );
  });

  it('does not bypass the configured proxy, which is read again for each call', async () => {
    let set: string | undefined = 'proxy.example:8080';
    await withFaultServer(
      ignore,
      async ({ client, exchanges }) => {
        const { message } = await catchFailure(client.listModels());
        assert.match(message, /proxy\.example:8080/);
        set = undefined;
        assert.doesNotMatch((await catchFailure(client.listModels())).message, /proxy\.example/);
        assert.deepEqual(listTransports(exchanges), ['https', 'https']);
      },
      { baseUrl: unresolvable, proxy: () => set },
    );
  });

  it('fails before anything is sent when no transport goes through the configured proxy', async () => {
    const connections: string[] = [];
    const gateway = createServer((socket) => {
      connections.push('direct');
      socket.on('data', (bytes) => connections.push(bytes.toString('latin1')));
    }).listen(0, '127.0.0.1');
    await once(gateway, 'listening');
    const { port } = gateway.address() as AddressInfo;
    mockNameServers('127.0.0.1');
    for (const transport of ['auto', 'host'] as const) {
      await withFaultServer(
        ignore,
        async ({ client }) => {
          const failure = await catchFailure(client.startInteraction({ model: 'm', input: 'x' }));
          assert.deepEqual([failure.reason, failure.wasSent], ['proxy', false]);
          assert.match(failure.message, /proxy\.example:3128/);
        },
        { transport, baseUrl: `https://gateway.example:${port}`, proxy: () => 'proxy.example:3128' },
      );
    }
    gateway.close();
    assert.doesNotMatch(connections.join(), /credential|POST/);
  });

  it('F4 has one connect timeout for both transports together', async () => {
    const silent = createServer((socket) => attempts.push(socket)).listen(0, '127.0.0.1');
    const attempts: unknown[] = [];
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    mockNameServers('127.0.0.1');
    await withFaultServer(
      ignore,
      async ({ client, exchanges }) => {
        const { reason, message } = await catchFailure(client.listModels());
        assert.equal(reason, 'connect-timeout');
        assert.match(message, /within 600 ms/);
        assert.equal(attempts.length, 2);
        const [{ totalMs } = { totalMs: 0 }] = exchanges;
        assert.ok(totalMs >= 590 && totalMs < 1_100, `${totalMs} ms`);
      },
      { baseUrl: `https://gateway.example:${port}`, timeouts: { connect: 600 } },
    );
    silent.close();
  });

  it('F7 is not sent over the other transport after a certificate was refused', async () => {
    const connections: unknown[] = [];
    const { key, cert } = makeCertificate({ name: 'self', address: '127.0.0.1' });
    const server = tls.createServer({ key, cert }).on('connection', (socket) => connections.push(socket));
    server.on('tlsClientError', () => {}).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    mockNameServers('127.0.0.1');
    await withFaultServer(
      ignore,
      async ({ client }) => {
        assert.equal((await catchFailure(client.listModels())).reason, 'tls-unknown-authority');
        assert.equal(connections.length, 1);
      },
      { baseUrl: `https://gateway.example:${port}` },
    );
    server.close();
  });
});
