import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGatewayClient } from '../../src/client/gatewayClient.ts';
import { PriceList } from '../../src/host/connection/priceList.ts';
import { catchFailure, testCredential, withFaultServer } from '../support/faultServerCalls.ts';

const info = {
  data: [
    {
      model_name: 'kept',
      litellm_params: { custom_llm_provider: 'openai', model: 'openai/kept' },
      model_info: {
        id: '4f2c',
        key: 'kept',
        db_model: false,
        input_cost_per_token: 5e-6,
        output_cost_per_token: 3e-5,
        cache_read_input_token_cost: 5e-7,
      },
    },
  ],
};
const prices = { kept: { input: 5e-6, output: 3e-5, cachedInput: 5e-7 } };

describe('prices outside the model list', () => {
  const never = new AbortController().signal;

  it('are read by one GET of /v1/model/info below the base URL', async () => {
    await withFaultServer(
      (connection) => connection.respond(200, { 'content-type': 'application/json' }, JSON.stringify(info)),
      async ({ server, client, exchanges }) => {
        assert.deepEqual(Object.fromEntries(await client.readTokenPrices()), prices);
        const [request] = server.requests;
        assert.equal(`${request?.method} ${request?.path}`, 'GET /v1/model/info');
        assert.equal(request?.headers.authorization, `Bearer ${testCredential}`);
        assert.deepEqual(
          exchanges.map(({ route }) => route),
          ['readModelInfo'],
        );
      },
    );
  });

  it('P1 are not requested from another origin', async () => {
    let elsewhere = 0;
    await withServer(
      (_, response) => {
        elsewhere += 1;
        response.end(JSON.stringify(info));
      },
      async (other) => {
        await withServer(
          (_, response) => response.writeHead(307, { location: `${other}/v1/model/info` }).end(),
          async (baseUrl) => assert.deepEqual(await readPrices(baseUrl), new Map()),
        );
      },
    );
    assert.equal(elsewhere, 0);
  });

  for (const [words, status, body] of [
    ['has no such route', 404, '{"detail":"Not Found"}'],
    ['denies the key this route', 403, '{"detail":"Virtual key is not allowed to call this route."}'],
    ['fails on this route', 500, '{"error":{"message":"\'NoneType\' object is not iterable"}}'],
    ['replies with a web page', 200, '<!doctype html><title>Sign in</title>'],
    ['replies with other JSON', 200, '{"object":"model","id":"info"}'],
    ['replies with an error', 200, '{"error":"no such thing"}'],
  ] as const) {
    it(`are requested only once from a gateway that ${words}`, async () => {
      let requestCount = 0;
      const priceList = new PriceList();
      await withServer(
        (_, response) => {
          requestCount += 1;
          response.writeHead(status).end(body);
        },
        async (baseUrl) => {
          assert.deepEqual(await readPrices(baseUrl, priceList), new Map());
          assert.deepEqual(await readPrices(baseUrl, priceList), new Map());
        },
      );
      assert.equal(requestCount, 1);
    });
  }

  it('are requested again after a temporary failure', async () => {
    const priceList = new PriceList();
    const listeners: RequestListener[] = [
      (_, response) => response.writeHead(503).end('{"error":{"message":"busy"}}'),
      (_, response) => response.writeHead(429).end('{"error":{"message":"slow down"}}'),
      (_, response) => response.writeHead(200).write('{"data":[', () => response.destroy()),
      (_, response) => response.end(JSON.stringify(info)),
    ];
    await withServer(
      (request, response) => listeners.shift()?.(request, response),
      async (baseUrl) => {
        for (let failing = 3; failing > 0; failing -= 1) {
          assert.equal(await readPrices(baseUrl, priceList), undefined);
        }
        assert.deepEqual(Object.fromEntries((await readPrices(baseUrl, priceList)) ?? []), prices);
      },
    );
  });

  it('are not returned if their request is aborted', async () => {
    const priceList = new PriceList();
    const stopped = new AbortController();
    await withServer(
      () => stopped.abort(),
      async (baseUrl) => assert.equal(await readPrices(baseUrl, priceList, stopped.signal), undefined),
    );
  });

  it('are not read from a reply of more than 8 MiB', async () => {
    const piece = Buffer.alloc(1024 * 1024, ' ');
    await withFaultServer(
      async (connection) => {
        await connection.respond(
          200,
          { 'content-type': 'application/json' },
          Buffer.concat(Array(9).fill(piece)),
        );
      },
      async ({ client }) => assert.equal((await catchFailure(client.readTokenPrices())).reason, 'too-large'),
    );
  });

  async function readPrices(baseUrl: string, priceList = new PriceList(), signal = never) {
    const client = createGatewayClient({ baseUrl, credential: async () => testCredential });
    try {
      return await priceList.read(client, signal);
    } finally {
      await client.close();
    }
  }

  async function withServer(listener: RequestListener, test: (baseUrl: string) => Promise<void>) {
    const server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      await test(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    } finally {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }
  }
});
