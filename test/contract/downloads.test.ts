import assert from 'node:assert/strict';
import https from 'node:https';
import {
  createLookup,
  createTinyClip,
  MemoryTarget,
  reachable,
  serveFile,
  withDownloader,
} from '../support/downloadServers.ts';
import { type ConnectionScript, startFaultServer } from '../support/faultServer.ts';
import { catchFailure, testCredential } from '../support/faultServerCalls.ts';

const clip = createTinyClip();
const clipReply: ConnectionScript = (connection) =>
  connection.respond(200, { 'content-type': 'video/mp4' }, clip);

const createRedirect =
  (location: string, status = 302): ConnectionScript =>
  (connection) =>
    connection.respond(status, { location });

for (const transport of ['direct', 'host'] as const) {
  const options = { transport };

  describe(`a download from the gateway itself, ${transport} transport`, () => {
    it('sends the credential, and returns the size and the source', async () => {
      await withDownloader({ gateway: serveFile(clip), options }, async ({ gateway, downloader }) => {
        const target = new MemoryTarget();
        const downloaded = await downloader.download(`${gateway.baseUrl}/v1/videos/a/content?x=1`, target);
        assert.deepEqual(target.bytes, clip);
        assert.deepEqual(target.heads, [
          { from: 0, total: clip.length, mimeType: 'video/mp4', validator: '"v1"' },
        ]);
        assert.deepEqual(
          [downloaded.bytes, downloaded.source],
          [clip.length, `${gateway.baseUrl}/v1/videos/a/content`],
        );
        const [sent] = gateway.requests;
        assert.equal(sent?.headers.authorization, `Bearer ${testCredential}`);
        assert.equal(sent?.path, '/v1/videos/a/content?x=1');
      });
    });

    it('requests the bytes of a file of the interactions format, with the header of that format', async () => {
      await withDownloader({ gateway: clipReply, options }, async ({ gateway, downloader }) => {
        await downloader.download(`${gateway.baseUrl}/v1beta/files/abc`, new MemoryTarget(), {
          credential: 'vendor-api-key',
        });
        const [sent] = gateway.requests;
        assert.equal(sent?.path, '/v1beta/files/abc?alt=media');
        assert.equal(sent?.headers['x-vendor-api-key'], testCredential);
        assert.equal(sent?.headers.authorization, undefined);
      });
    });

    for (const status of [401, 403]) {
      it(`is sent again once with the other credential header after ${status}`, async () => {
        const play: ConnectionScript = (connection, request) =>
          request.headers.authorization
            ? connection.respond(status, {}, '{"error":{"message":"No"}}')
            : clipReply(connection, request);
        await withDownloader({ gateway: play, options }, async ({ gateway, downloader }) => {
          const target = new MemoryTarget();
          await downloader.download(`${gateway.baseUrl}/a`, target);
          assert.deepEqual(target.bytes, clip);
          assert.equal(gateway.requests.length, 2);
        });
      });
    }

    it('P3 reports a refusal of both headers without revealing the credential', async () => {
      const play: ConnectionScript = (connection, { headers }) =>
        connection.respond(403, {}, `{"error":{"message":"No ${Object.values(headers).join(' ')}"}}`);
      await withDownloader({ gateway: play, options }, async ({ gateway, downloader }) => {
        const failure = await catchFailure(downloader.download(`${gateway.baseUrl}/a`, new MemoryTarget()));
        assert.deepEqual([failure.kind, failure.status, gateway.requests.length], ['authentication', 403, 2]);
        assert.doesNotMatch(
          JSON.stringify([failure.message, failure.body, failure.gatewayMessage]),
          /0123456789/,
        );
      });
    });

    for (const status of [202, 204, 425]) {
      it(`fails as not ready after ${status}`, async () => {
        await withDownloader(
          { gateway: (connection) => connection.respond(status, {}), options },
          async ({ gateway, downloader }) => {
            const target = new MemoryTarget();
            const failure = await catchFailure(downloader.download(`${gateway.baseUrl}/a`, target));
            assert.deepEqual([failure.reason, failure.status, target.heads], ['not-ready', status, []]);
          },
        );
      });
    }

    it('follows a redirect to the same gateway with the credential', async () => {
      const play: ConnectionScript = (connection, request) =>
        request.path === '/a' ? createRedirect('/b')(connection, request) : clipReply(connection, request);
      await withDownloader({ gateway: play, options }, async ({ gateway, downloader }) => {
        const { source } = await downloader.download(`${gateway.baseUrl}/a`, new MemoryTarget());
        assert.equal(source, `${gateway.baseUrl}/b`);
        assert.deepEqual(
          gateway.requests.map(({ headers }) => headers.authorization),
          [`Bearer ${testCredential}`, `Bearer ${testCredential}`],
        );
      });
    });
  });

  describe(`a download from another origin, ${transport} transport`, () => {
    it('P1 does not send headers of the gateway', async () => {
      await withDownloader({ other: clipReply, options }, async ({ other, at, downloader }) => {
        const target = new MemoryTarget();
        await downloader.download(at('/v/clip.mp4?Signature=abc'), target, { credential: 'vendor-api-key' });
        assert.deepEqual(target.bytes, clip);
        const [sent] = other.requests;
        assert.equal(sent?.path, '/v/clip.mp4?Signature=abc');
        const { connection: _, ...headers } = sent?.headers ?? {};
        assert.deepEqual(Object.keys(headers).sort(), ['accept', 'accept-encoding', 'host', 'user-agent']);
      });
    });

    for (const status of [301, 302, 303, 307, 308]) {
      it(`P1 does not send a credential after a ${status} redirect from the gateway, and refuses a redirect back to it`, async () => {
        let back = '';
        const other: ConnectionScript = (connection, request) =>
          request.path === '/there'
            ? createRedirect(at('/again'), status)(connection, request)
            : createRedirect(back, status)(connection, request);
        let at = (path: string) => path;
        const gateway: ConnectionScript = (connection, request) =>
          createRedirect(at('/there'), status)(connection, request);
        await withDownloader({ gateway, other, options }, async (scene) => {
          at = scene.at;
          back = `${scene.gateway.baseUrl}/v1/models`;
          const failure = await catchFailure(
            scene.downloader.download(`${scene.gateway.baseUrl}/a`, new MemoryTarget()),
          );
          assert.equal(failure.reason, 'forbidden-address');
          assert.equal(scene.gateway.requests.length, 1);
          assert.deepEqual(
            scene.other.requests.map(({ path }) => path),
            ['/there', '/again'],
          );
          assert.doesNotMatch(JSON.stringify(scene.other.requests), new RegExp(testCredential));
        });
      });
    }

    it('T8 follows up to five redirects', async () => {
      for (const [hops, arrives] of [
        [5, true],
        [6, false],
      ] as const) {
        const play: ConnectionScript = (connection, request) =>
          Number(request.path.slice(1)) < hops
            ? createRedirect(`/${Number(request.path.slice(1)) + 1}`)(connection, request)
            : clipReply(connection, request);
        await withDownloader({ other: play, options }, async ({ other, at, downloader }) => {
          const call = downloader.download(at('/0'), new MemoryTarget());
          if (arrives) await call;
          else assert.equal((await catchFailure(call)).reason, 'redirect');
          assert.equal(other.requests.length, 6);
        });
      }
    });

    it('T8 is refused at the gateway’s address with a user name or a password', async () => {
      await withDownloader({ gateway: clipReply, options }, async ({ gateway, downloader }) => {
        for (const user of ['user:word@', 'user@', ':word@']) {
          const address = gateway.baseUrl.replace('http://', `http://${user}`);
          const failure = await catchFailure(downloader.download(`${address}/a`, new MemoryTarget()));
          assert.deepEqual([failure.reason, failure.wasSent], ['forbidden-address', false]);
        }
        assert.equal(gateway.requests.length, 0);
      });
    });

    for (const target of [
      'http://media.example/a',
      'https://user:secret@media.example/a',
      'https://127.0.0.2/a',
      'https://[::1]/a',
      'https://169.254.169.254/latest/meta-data',
      'https://metadata.google.internal/',
      'ftp://media.example/a',
      'file:///etc/passwd',
    ]) {
      it(`T8 does not follow a redirect to ${target}`, async () => {
        await withDownloader(
          { other: createRedirect(target), options },
          async ({ other, at, downloader }) => {
            const failure = await catchFailure(downloader.download(at('/a'), new MemoryTarget()));
            assert.deepEqual([failure.kind, failure.reason], ['malformed-reply', 'forbidden-address']);
            assert.equal(other.requests.length, 1);
            assert.doesNotMatch(failure.message, /secret/);
          },
        );
      });
    }

    it('T8 does not connect to a name whose address turns private before the connection is opened', async () => {
      const { isPublic: _, ...reach } = reachable;
      let requestCount = 0;
      await withDownloader(
        {
          other: clipReply,
          options,
          reach: {
            ...reach,
            lookup: (hostname, query, done) => {
              requestCount += 1;
              createLookup('127.0.0.1')(hostname, query, done);
            },
          },
        },
        async ({ other, at, downloader }) => {
          const failure = await catchFailure(downloader.download(at('/a'), new MemoryTarget()));
          assert.equal(failure.reason, 'forbidden-address');
          assert.deepEqual([other.connections, requestCount], [0, 1]);
        },
      );
    });

    if (transport === 'host')
      it('T8 may go through a proxy whose name resolves to a private address', async () => {
        const request = https.request;
        const found = Promise.withResolvers<unknown>();
        // Like the editor, which looks up the proxy with the options of the request.
        https.request = ((url: URL, options: https.RequestOptions) => {
          options.lookup?.('localhost', { family: 4 }, (error, address) => found.resolve(error ?? address));
          return request(url, options);
        }) as typeof https.request;
        try {
          await withDownloader(
            { other: clipReply, options: { transport: 'host' } },
            async ({ at, downloader }) => {
              await downloader.download(at('/a'), new MemoryTarget());
              assert.equal(await found.promise, '127.0.0.1');
            },
          );
        } finally {
          https.request = request;
        }
      });

    for (const address of [
      '',
      'clip.mp4',
      '/clip.mp4',
      'data:video/mp4;base64,AAAA',
      'gs://bucket/clip.mp4',
    ]) {
      it(`T7 is refused for the address ${JSON.stringify(address)}`, async () => {
        await withDownloader({ options }, async ({ downloader }) => {
          const failure = await catchFailure(downloader.download(address, new MemoryTarget()));
          assert.deepEqual([failure.reason, failure.wasSent], ['forbidden-address', false]);
        });
      });
    }

    it('T8 is possible in a private network only where the user allowed it, and without the credential', async () => {
      const store = await startFaultServer(clipReply);
      try {
        const allowed = { ...options, resultOrigins: [store.baseUrl] };
        await withDownloader({ options: allowed }, async ({ downloader, gateway }) => {
          await downloader.download(`${store.baseUrl}/clip.mp4?sig=1`, new MemoryTarget());
          const [request] = store.requests;
          assert.equal(request?.path, '/clip.mp4?sig=1');
          assert.doesNotMatch(JSON.stringify(request?.headers), new RegExp(testCredential));
          assert.equal(gateway.requests.length, 0);
        });
        await withDownloader({ options }, async ({ downloader }) => {
          const failure = await catchFailure(downloader.download(`${store.baseUrl}/a`, new MemoryTarget()));
          assert.deepEqual([failure.reason, failure.wasSent], ['forbidden-address', false]);
        });
        assert.equal(store.requests.length, 1);
      } finally {
        await store.close();
      }
    });

    it('T8 is refused at another port of an allowed origin, with a user name, and after a redirect', async () => {
      const inner = await startFaultServer(clipReply);
      const store = await startFaultServer(createRedirect(`${inner.baseUrl}/secret`));
      try {
        const allowed = { ...options, resultOrigins: [store.baseUrl] };
        await withDownloader({ options: allowed }, async ({ downloader }) => {
          for (const address of [
            `${store.baseUrl}/a`,
            `${inner.baseUrl}/a`,
            store.baseUrl.replace('http://', 'http://user:word@'),
          ]) {
            const failure = await catchFailure(downloader.download(address, new MemoryTarget()));
            assert.equal(failure.reason, 'forbidden-address', address);
          }
          assert.deepEqual([store.requests.length, inner.requests.length], [1, 0]);
        });
      } finally {
        await store.close();
        await inner.close();
      }
    });

    for (const [where, address] of [
      ['the host', (credential: string) => `https://${credential}.example/clip.mp4`],
      [
        'the path',
        (credential: string) => `https://files.example/${encodeURIComponent(credential)}/clip.mp4`,
      ],
      ['the query', (credential: string) => `https://files.example/clip.mp4?key=${credential}`],
      [
        'base64 in the query',
        (credential: string) => `https://files.example/a?k=${Buffer.from(credential).toString('base64')}`,
      ],
    ] as const) {
      it(`P1 T21 neither fetches nor reports an address with the credential in ${where}`, async () => {
        await withDownloader({ options }, async ({ downloader, exchanges }) => {
          const failure = await catchFailure(
            downloader.download(address(testCredential), new MemoryTarget()),
          );
          assert.deepEqual([failure.reason, failure.wasSent], ['forbidden-address', false]);
          assert.match(failure.message, /contains the credential of this gateway/);
          assert.doesNotMatch(
            JSON.stringify([failure, failure.message, exchanges]),
            new RegExp(testCredential, 'i'),
          );
        });
      });

      it(`P1 T21 neither follows nor reports a redirect to an address with the credential in ${where}`, async () => {
        const gateway = createRedirect(address(testCredential));
        await withDownloader({ gateway, options }, async ({ downloader, gateway: { baseUrl } }) => {
          const failure = await catchFailure(downloader.download(`${baseUrl}/a`, new MemoryTarget()));
          assert.deepEqual([failure.reason, failure.wasSent], ['forbidden-address', false]);
          assert.doesNotMatch(failure.message, new RegExp(testCredential, 'i'));
        });
      });
    }

    it('T22 leaves the query of a link out of errors and log records', async () => {
      const play: ConnectionScript = (connection, { path }) =>
        connection.respond(403, {}, `<Error><SignatureProvided>${path}</SignatureProvided></Error>`);
      await withDownloader({ other: play, options }, async ({ at, downloader, exchanges }) => {
        const failure = await catchFailure(
          downloader.download(at('/v.mp4?X-Amz-Signature=canary0123456789'), new MemoryTarget()),
        );
        assert.deepEqual([failure.kind, failure.status], ['invalid-parameters', 403]);
        assert.doesNotMatch(
          JSON.stringify([failure, failure.message, failure.stack, exchanges]),
          /canary|X-Amz/,
        );
        assert.equal(exchanges[0]?.url, at('/v.mp4'));
      });
    });
  });
}
