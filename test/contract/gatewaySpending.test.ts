import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateCredential } from '../../src/localGateway/config/credentialFile.ts';
import { digestCredential } from '../../src/localGateway/config/gatewayCredentials.ts';
import { type GatewayStart, type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { type ScriptedUpstream, startUpstream } from '../support/scriptedUpstream.ts';
import { createUpstreamConfig } from '../support/testUpstreams.ts';

/** A reply costs one dollar. */
const prices = [{ models: 'm', input: 0, output: 1_000 }];
const usage = { prompt_tokens: 10, completion_tokens: 1_000, total_tokens: 1_010 };

describe('P17 spending limits of the local gateway', function () {
  this.timeout(120_000);
  let upstream: ScriptedUpstream;
  let respond: (response: ServerResponse) => void;
  const gateways: RunningGateway[] = [];
  let state: string;
  const ci = generateCredential();

  beforeEach(async () => {
    state = mkdtempSync(join(tmpdir(), 'gateway-spending-'));
    respond = (response) => reply(response, { usage });
    upstream = await startUpstream((_, response) => respond(response));
  });

  afterEach(async () => {
    await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
    await upstream.close();
    rmSync(state, { recursive: true, force: true });
  });

  function reply(response: ServerResponse, fields: object): void {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }];
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ choices, ...fields }));
  }

  async function gatewayWith(config: object, start: Partial<GatewayStart> = {}): Promise<RunningGateway> {
    const gateway = await startGateway({
      demo: false,
      state,
      config: {
        upstreams: [createUpstreamConfig('one', upstream.baseUrl, { models: ['m', 'free'], prices })],
        ...config,
      },
      ...start,
    });
    gateways.push(gateway);
    return gateway;
  }

  /** A gateway with an alias of two upstreams with one model each. The first upstream fails after it was counted. */
  async function gatewayWithFailingModel(money: number) {
    const second = await startUpstream((_, response) => reply(response, { usage }));
    respond = (response) => response.writeHead(503).end('{}');
    const gateway = await gatewayWith({
      upstreams: [
        createUpstreamConfig('one', upstream.baseUrl, { models: ['m'], prices }),
        createUpstreamConfig('two', second.baseUrl, { models: ['m'], prices }),
      ],
      aliases: [{ name: 'fast', models: ['one/m', 'two/m'], nextOnServerError: true }],
      limits: [{ per: 'day', money }],
    });
    return { gateway, second };
  }

  function send(
    { baseUrl, credential }: RunningGateway,
    { as = credential, path = '/v1/chat/completions', ...fields }: Record<string, unknown> = {},
  ): Promise<Response> {
    const messages = [{ role: 'user', content: 'Hi' }];
    return fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages, max_tokens: 1_000, ...fields }),
    });
  }

  const ofCi = (limits: readonly object[]) => ({
    credentials: [{ name: 'ci', sha256: digestCredential(ci).toString('hex'), limits }],
  });

  it('let at most ten of 100 requests through that arrive at once', async () => {
    const gateway = await gatewayWith({ limits: [{ per: 'day', money: 10 }] });
    const replies = await Promise.all(Array.from({ length: 100 }, () => send(gateway)));
    assert.equal(upstream.requests.length, 10);
    assert.deepEqual([...new Set(replies.map(({ status }) => status))].toSorted(), [200, 429]);
  });

  it('refuse with 429 in the format of the caller, with the time until the reset', async () => {
    const gateway = await gatewayWith({ limits: [{ per: 'day', money: 1 }] });
    assert.equal((await send(gateway)).status, 200);
    const refused = await send(gateway);
    assert.equal(refused.status, 429);
    const seconds = Number(refused.headers.get('retry-after'));
    assert.ok(seconds > 0 && seconds <= 25 * 3_600, String(seconds));
    assert.equal(refused.headers.get('x-should-retry'), 'false');
    const { error } = (await refused.json()) as { error: Record<string, string> };
    assert.deepEqual([error.type, error.code], ['insufficient_quota', 'insufficient_quota']);
    assert.match(error.message ?? '', /1 USD a day: 1 USD of 1 USD used.*It resets at \d{4}-/);
    const other = await send(gateway, { path: '/v1/messages' });
    const body = (await other.json()) as { type: string; error: { type: string } };
    assert.deepEqual([other.status, body.type, body.error.type], [429, 'error', 'rate_limit_error']);
    assert.equal(upstream.requests.length, 1);
  });

  it('apply to one credential, and do not affect the others', async () => {
    const gateway = await gatewayWith(ofCi([{ per: 'month', tokens: 1_000 }]));
    assert.equal((await send(gateway, { as: ci })).status, 200);
    const refused = await send(gateway, { as: ci });
    assert.equal(refused.status, 429);
    assert.match(await refused.text(), /credential 'ci'.*1010 tokens of 1000 tokens/);
    assert.equal((await send(gateway)).status, 200);
  });

  it('count requests of a gateway that is killed before their replies arrive', async () => {
    respond = () => {};
    const first = await gatewayWith({ limits: [{ per: 'day', money: 10 }] });
    const cut = Array.from({ length: 6 }, () => send(first).catch(() => undefined));
    while (upstream.requests.length < 6) await new Promise((resolve) => setTimeout(resolve, 5));
    first.process.kill('SIGKILL');
    await once(first.process, 'exit');
    await Promise.all(cut);
    respond = (response) => reply(response, { usage });
    const second = await gatewayWith({ limits: [{ per: 'day', money: 10 }] });
    await Promise.all(Array.from({ length: 20 }, () => send(second)));
    assert.equal(upstream.requests.length, 10);
  });

  it('do not count a reply without usage as free, and do not count a refused one', async () => {
    const bodies = [
      {},
      { usage: { completion_tokens: 0 } },
      { usage: { completion_tokens: -7 } },
      { usage: null },
    ];
    const holders = bodies.map((fields) => ({ fields, credential: generateCredential() }));
    const gateway = await gatewayWith({
      credentials: [
        ...holders.map(({ credential }, index) => ({
          name: `c${index}`,
          sha256: digestCredential(credential).toString('hex'),
          limits: [{ per: 'day', money: 0.002 }],
        })),
        ...ofCi([{ per: 'day', money: 1 }]).credentials,
      ],
    });
    for (const { fields, credential } of holders) {
      respond = (response) => reply(response, fields);
      await send(gateway, { as: credential });
      assert.equal((await send(gateway, { as: credential })).status, 429, JSON.stringify(fields));
    }
    respond = (response) => response.writeHead(400).end('{}');
    for (let count = 0; count < 3; count++) assert.equal((await send(gateway, { as: ci })).status, 400);
  });

  it('count the reasoning that a reply does not include in its output', async () => {
    const reasoning = { completion_tokens_details: { reasoning_tokens: 999 } };
    respond = (response) =>
      reply(response, {
        usage: { prompt_tokens: 10, completion_tokens: 1, total_tokens: 1_010, ...reasoning },
      });
    const gateway = await gatewayWith({ limits: [{ per: 'day', money: 1 }] });
    assert.deepEqual([(await send(gateway)).status, (await send(gateway)).status], [200, 429]);
  });

  it('count the usage of a converted reply that does not contain it', async () => {
    const reasoned = {
      input_tokens: 10,
      output_tokens: 1_000,
      output_tokens_details: { reasoning_tokens: 999 },
    };
    respond = (response) => {
      const events = [
        { type: 'response.created', response: { id: 'r', status: 'in_progress' } },
        { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Hi' },
        { type: 'response.completed', response: { id: 'r', status: 'completed', usage: reasoned } },
      ];
      const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
      response.setHeader('content-type', 'text/event-stream').end(text);
    };
    const gateway = await gatewayWith({
      upstreams: [
        createUpstreamConfig('one', upstream.baseUrl, { kind: 'responses', models: ['m'], prices }),
      ],
      limits: [{ per: 'day', money: 1 }],
    });
    const first = await send(gateway, { stream: true });
    assert.equal(first.headers.get('x-gateway-conversion'), 'chat-completions->responses');
    assert.doesNotMatch(await first.text(), /usage/);
    assert.equal((await send(gateway, { stream: true })).status, 429);
  });

  it('count the text of a converted stream that ends with an error', async () => {
    const message = {
      id: 'msg',
      role: 'assistant',
      content: [],
      usage: { input_tokens: 9, output_tokens: 1 },
    };
    const delta = { type: 'text_delta', text: 'x'.repeat(64_000) };
    const events = [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    ];
    respond = (response) => {
      response.setHeader('content-type', 'text/event-stream');
      response.end(
        events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
      );
    };
    const gateway = await gatewayWith({
      upstreams: [createUpstreamConfig('one', upstream.baseUrl, { kind: 'messages', models: ['m'], prices })],
      limits: [{ per: 'day', money: 2 }],
    });
    const ended = await send(gateway, { stream: true, max_tokens: 3_000 });
    assert.match(await ended.text(), /Overloaded/);
    assert.equal((await send(gateway, { max_tokens: 3_000 })).status, 429);
  });

  it('refuse models without a price, unless they are allowed', async () => {
    const strict = await gatewayWith({ limits: [{ per: 'day', money: 1 }] });
    const refused = await send(strict, { model: 'free' });
    assert.equal(refused.status, 403);
    assert.match(await refused.text(), /unknown_price/);
    await strict.stop();
    const lenient = await gatewayWith({ limits: [{ per: 'day', money: 1, unpriced: 'allow' }] });
    assert.equal((await send(lenient, { model: 'free' })).status, 200);
  });

  it('count a request at the dearest model that it names, and refuse one without a price', async () => {
    const cheap = { models: 'cheap', input: 0, output: 1 };
    const gateway = await gatewayWith({
      upstreams: [
        createUpstreamConfig('one', upstream.baseUrl, {
          models: ['cheap', 'm', 'free'],
          prices: [cheap, ...prices],
        }),
      ],
      limits: [{ per: 'day', money: 1 }],
    });
    const refused = await send(gateway, { model: 'cheap', models: ['free'] });
    assert.equal(refused.status, 403);
    assert.match(await refused.text(), /"free\\" in the field models.*unknown_price/);
    assert.equal((await send(gateway, { model: 'cheap', fallbacks: ['m'] })).status, 200);
    assert.equal((await send(gateway, { model: 'cheap' })).status, 429);
  });

  /** A gateway whose upstream lists a model with these prices. */
  async function gatewayWithListed(pricing: object, limits: readonly object[]) {
    const listed = { id: 'm', pricing };
    const lister = await startUpstream(({ method }, response) =>
      method === 'GET'
        ? response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: [listed] }))
        : reply(response, { usage }),
    );
    const upstreams = [createUpstreamConfig('one', lister.baseUrl)];
    return { lister, gateway: await gatewayWith({ upstreams, limits }) };
  }

  it('use the prices that an upstream lists', async () => {
    const pricing = { prompt: '0', completion: '0.001' };
    const { lister, gateway } = await gatewayWithListed(pricing, [{ per: 'day', money: 1 }]);
    assert.deepEqual([(await send(gateway)).status, (await send(gateway)).status], [200, 429]);
    await lister.close();
  });

  it('do not use a listed price that is negative, not a number or missing', async () => {
    for (const completion of ['-1', 'NaN', -0.001, '1e999', null]) {
      const { lister, gateway } = await gatewayWithListed({ prompt: '0', completion }, [
        { per: 'day', money: 1 },
      ]);
      const refused = await send(gateway);
      assert.deepEqual(
        [refused.status, lister.requests.filter(({ method }) => method === 'POST')],
        [403, []],
      );
      assert.match(await refused.text(), /unknown_price/, String(completion));
      await gateway.stop();
      await lister.close();
    }
  });

  it('are checked again before the next model of an alias', async () => {
    const { gateway, second } = await gatewayWithFailingModel(1);
    for (const path of ['/v1/chat/completions', '/v1/messages']) {
      const last = await send(gateway, { model: 'fast', path });
      const { headers } = last;
      assert.equal(last.status, 429);
      assert.ok(Number(headers.get('retry-after')) > 0);
      assert.equal(headers.get('x-should-retry'), 'false');
      const text = await last.text();
      assert.match(text, path === '/v1/messages' ? /"rate_limit_error"/ : /"insufficient_quota"/);
      if (path === '/v1/messages') break;
      assert.match(headers.get('x-gateway-skipped-models') ?? '', /one\/m \(503, may be billed\)/);
      assert.match(
        text,
        /sent to two\/m: the spending limit 1 USD .*Models tried before: one\/m \(503, may be billed\)/,
      );
    }
    assert.deepEqual([upstream.requests.length, second.requests.length], [1, 0]);
    await second.close();
  });

  it('are checked with the configuration', async () => {
    for (const limits of [
      [{ per: 'week', money: 1 }],
      [{ per: 'day' }],
      [{ per: 'day', money: 1, tokens: 1 }],
    ]) {
      await assert.rejects(gatewayWith({ limits }), /limits/);
    }
  });

  it('and costs by credential, model and upstream are in the metrics', async () => {
    const gateway = await gatewayWith(ofCi([{ per: 'day', money: 5 }]));
    await send(gateway, { as: ci });
    await send(gateway, { model: 'free' });
    const reported = { ...usage, cost: 0.25 };
    respond = (response) => reply(response, { usage: reported });
    await send(gateway);
    const { baseUrl, credential } = gateway;
    const metrics = await fetch(`${baseUrl}/metrics`, { headers: { authorization: `Bearer ${credential}` } });
    const text = await metrics.text();
    assert.match(text, /model_gateway_cost_usd_total\{model="m",upstream="one",credential="ci"\} 1\n/);
    assert.match(text, /model_gateway_cost_usd_total\{model="m",upstream="one",credential=""\} 0\.25\n/);
    assert.match(
      text,
      /model_gateway_unpriced_replies_total\{model="free",upstream="one",credential=""\} 1\n/,
    );
  });

  it('and costs of all models that an alias tried are in the metrics, each at its own upstream', async () => {
    const { gateway, second } = await gatewayWithFailingModel(2);
    assert.equal((await send(gateway, { model: 'fast' })).status, 200);
    assert.equal((await send(gateway, { model: 'fast' })).status, 429);
    const { baseUrl, credential } = gateway;
    const metrics = await fetch(`${baseUrl}/metrics`, { headers: { authorization: `Bearer ${credential}` } });
    const counted = (await metrics.text())
      .split('\n')
      .filter((line) => /^model_gateway_(requests|cost_usd|unpriced\w*|skipped\w*)_total/.test(line));
    assert.deepEqual(counted.toSorted(), [
      'model_gateway_cost_usd_total{model="one/m",upstream="one",credential=""} 1',
      'model_gateway_cost_usd_total{model="two/m",upstream="two",credential=""} 1',
      'model_gateway_requests_total{model="two/m",upstream="two",route="/v1/chat/completions",status="200"} 1',
      'model_gateway_requests_total{model="two/m",upstream="two",route="/v1/chat/completions",status="429"} 1',
      'model_gateway_skipped_attempts_total{model="one/m",upstream="one",reason="503"} 1',
      'model_gateway_skipped_attempts_total{model="one/m",upstream="one",reason="not sent"} 1',
    ]);
    await second.close();
  });

  it('count the cost that LiteLLM reports in a header, also for a converted reply without a price', async () => {
    const cost = { 'x-litellm-response-cost': '0.25' };
    respond = (response) => {
      for (const [name, value] of Object.entries(cost)) response.setHeader(name, value);
      reply(response, {});
    };
    const upstreams = [createUpstreamConfig('one', upstream.baseUrl, { models: ['m'] })];
    const gateway = await gatewayWith({ upstreams, limits: [{ per: 'day', money: 0.5, unpriced: 'allow' }] });
    assert.equal((await send(gateway)).status, 200);
    assert.equal((await send(gateway, { path: '/v1/messages' })).status, 200);
    const refused = await send(gateway);
    assert.equal(refused.status, 429);
    assert.match(await refused.text(), /0\.5 USD of 0\.5 USD used/);
  });

  it('are not needed for the metrics, which do not invent a cost', async () => {
    const gateway = await gatewayWith({});
    const { baseUrl, credential } = gateway;
    const readMetrics = async () => {
      const headers = { authorization: `Bearer ${credential}` };
      return (await (await fetch(`${baseUrl}/metrics`, { headers })).text())
        .split('\n')
        .flatMap(
          (line) => /^model_gateway_(cost_usd|unpriced_replies)_total\{.*\} (.+)$/.exec(line)?.slice(1) ?? [],
        );
    };
    await send(gateway);
    assert.deepEqual(await readMetrics(), ['cost_usd', '1']);
    respond = (response) => reply(response, {});
    await send(gateway, { messages: [{ role: 'user', content: 'word '.repeat(100_000) }] });
    assert.deepEqual(await readMetrics(), ['cost_usd', '1', 'unpriced_replies', '1']);
    respond = (response) => response.writeHead(503).end('{}');
    await send(gateway);
    assert.deepEqual(await readMetrics(), ['cost_usd', '1', 'unpriced_replies', '2']);
    respond = (response) => response.writeHead(400).end('{}');
    await send(gateway);
    assert.deepEqual(await readMetrics(), ['cost_usd', '1', 'unpriced_replies', '2']);
  });
});
