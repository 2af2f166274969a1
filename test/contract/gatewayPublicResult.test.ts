import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Agent } from 'undici';
import { fetchPublicResult } from '../../src/localGateway/tasks/publicResult.ts';
import { ResultError } from '../../src/localGateway/tasks/resultFolder.ts';
import { createLookup } from '../support/downloadServers.ts';
import { makeCertificate } from '../support/faultServerCertificates.ts';
import { type ScriptedUpstream, startUpstream, type UpstreamRequest } from '../support/scriptedUpstream.ts';

const certificate = makeCertificate({ name: 'media.example', authority: true });
const clip = Buffer.from('the bytes of a clip');

describe('results at other origins', () => {
  let server: ScriptedUpstream;
  let respond: (request: UpstreamRequest, res: ServerResponse) => void;
  let connectedTo: string[];

  beforeEach(async () => {
    connectedTo = [];
    server = await startUpstream((request, res) => respond(request, res), { tls: certificate });
  });
  afterEach(() => server.close());

  const at = (path: string) => `https://media.example:${new URL(server.baseUrl).port}${path}`;

  /** Fetches from this machine instead of one on the Internet. */
  async function fetchResult(
    address: string,
  ): Promise<{ readonly mimeType: string; readonly bytes: Buffer }> {
    const { mimeType, body } = await fetchPublicResult(
      address,
      new AbortController().signal,
      {},
      {
        isPublic: (each) => each === '127.0.0.1',
        connect({ href }) {
          connectedTo.push(href);
          return new Agent({ connect: { ca: certificate.cert, lookup: createLookup('127.0.0.1') } });
        },
      },
    );
    return { mimeType, bytes: await buffer(body) };
  }

  const redirectTo = (to: string) => (_request: UpstreamRequest, res: ServerResponse) => {
    res.writeHead(302, { location: to }).end();
  };

  it('T8 are fetched without a key, also after redirects', async () => {
    respond = ({ path }, res) => {
      if (path === '/first') res.writeHead(302, { location: '/second?signed=1' }).end();
      else res.writeHead(200, { 'content-type': 'video/mp4' }).end(clip);
    };
    assert.deepEqual(await fetchResult(at('/first')), { mimeType: 'video/mp4', bytes: clip });
    assert.deepEqual(
      server.requests.map(({ path }) => path),
      ['/first', '/second?signed=1'],
    );
    for (const { headers } of server.requests) {
      assert.equal(headers.authorization, undefined);
      assert.equal(headers.cookie, undefined);
    }
  });

  for (const hostile of [
    'http://media.example/x.mp4',
    'https://127.0.0.2/x.mp4',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/x.mp4',
    'https://[::ffff:10.0.0.1]/x.mp4',
    'https://2130706434/x.mp4',
    'https://0x7f000002/x.mp4',
    'https://localhost/x.mp4',
    'https://metadata.internal/x.mp4',
    'https://user:word@media.example/x.mp4',
    'file:///etc/passwd',
    'gs://bucket/x.mp4',
    'https://',
  ]) {
    it(`T8 are not fetched from ${hostile}, directly or by a redirect`, async () => {
      await assert.rejects(fetchResult(hostile), ResultError);
      assert.deepEqual(connectedTo, []);
      respond = redirectTo(hostile);
      await assert.rejects(fetchResult(at('/x.mp4')), ResultError);
      assert.deepEqual(connectedTo, [at('/x.mp4')]);
    });
  }

  it('T8 are not fetched if a host name resolves to a private address', async () => {
    for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1']) {
      const network = { lookup: createLookup(address) };
      const fetching = fetchPublicResult(at('/x.mp4'), new AbortController().signal, {}, network);
      await assert.rejects(fetching, /^ResultError: its host resolves to an address in a private network$/);
    }
  });

  it('are not fetched after more than five redirects', async () => {
    respond = redirectTo('/again');
    await assert.rejects(fetchResult(at('/first')), ResultError);
    assert.equal(server.requests.length, 6);
  });

  it('are refused if they are web pages, SVG, JSON or failures', async () => {
    for (const [status, type] of [
      [200, 'text/html'],
      [200, 'image/svg+xml'],
      [200, 'application/json'],
      [404, 'video/mp4'],
    ] as const) {
      respond = (_request, res) => res.writeHead(status, { 'content-type': type }).end('x');
      await assert.rejects(fetchResult(at('/x.mp4')), ResultError);
    }
  });
});
