import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { HttpError } from '../../../src/localGateway/http/httpError.ts';
import { readRequestBody } from '../../../src/localGateway/http/requestBody.ts';
import { createHttpUpstream } from '../../../src/localGateway/upstreams/httpUpstream.ts';
import { KeyRing } from '../../../src/localGateway/upstreams/keys/keyRing.ts';
import { createExternalKey } from '../../../src/localGateway/upstreams/keys/upstreamKey.ts';
import {
  createPlainListing,
  createPublisherListing,
  readModels,
} from '../../../src/localGateway/upstreams/modelLists.ts';
import type { Upstream } from '../../../src/localGateway/upstreams/upstream.ts';
import type { TextFormatId } from '../../../src/wire/apis/textFormats.ts';
import { type ScriptedUpstream, startUpstream } from '../../support/scriptedUpstream.ts';

describe('an upstream over HTTP', () => {
  let server: ScriptedUpstream;
  let upstream: Upstream;

  beforeEach(async () => {
    server = await startUpstream((_request, res) => res.end('{}'));
    upstream = createHttpUpstream(
      {
        base: new URL(server.baseUrl),
        findTextEndpoints: () => ({ messages: { send: { path: '/messages' } } }),
        models: createPlainListing('/models'),
        createCredentialHeaders: (key) => ({ 'x-api-key': key }),
      },
      { name: 'one', kind: 'any', baseUrl: server.baseUrl },
      new KeyRing([{ source: createExternalKey(() => 'canary-credential') }]),
    );
  });

  afterEach(async () => {
    await upstream.close();
    await server.close();
  });

  async function send(format: TextFormatId): Promise<string> {
    const body = readRequestBody(Buffer.from('{"model":"one/m"}'));
    const headers = { 'x-api-key': 'of-the-caller', authorization: 'Bearer of-the-caller' };
    const signal = new AbortController().signal;
    const names = { servedModel: 'one/m', model: 'm', requestId: 'r' };
    const reply = await upstream.send({ request: { format }, body, headers, signal, ...names });
    return text(Readable.from(reply.body));
  }

  it('receives requests of its format at its path, with its key in the configured header', async () => {
    assert.equal(await send('messages'), '{}');
    const [request] = server.requests;
    assert.equal(request?.path, '/v1/messages');
    assert.equal(request.headers['x-api-key'], 'canary-credential');
    assert.equal(request.headers.authorization, undefined);
    assert.equal(String(request.body), '{"model":"m"}');
  });

  it('receives no request in another format, and the error names the format and the path to use', async () => {
    await assert.rejects(send('responses'), (error) => {
      assert.ok(error instanceof HttpError);
      assert.match(
        error.message,
        /from upstream 'one', which serves only Messages \(Anthropic\).* POST \/v1\/messages\.$/,
      );
      return true;
    });
    assert.deepEqual(server.requests, []);
  });

  it('lists the models of publishers, and skips elements without a name', async () => {
    const publisherModels = [{ name: { toString: 1 } }, { name: 'publishers/x/models/y' }, { name: [[]] }];
    const models = await readModels(createPublisherListing(['x']), async () => ({ publisherModels }));
    assert.deepEqual(
      models?.map(({ id }) => id),
      ['x/y'],
    );
  });
});
