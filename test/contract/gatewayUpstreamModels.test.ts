import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { createChatBody, getModels, postChat } from '../support/chatCompletionsCalls.ts';
import type { UpstreamRequest } from '../support/scriptedUpstream.ts';
import { createUpstreamConfig, setUpUpstreams } from '../support/testUpstreams.ts';

describe('an OpenAI-compatible upstream whose models are listed', function () {
  this.timeout(20_000);
  const { startScriptedUpstream, startGatewayFor } = setUpUpstreams();

  it('has its model ids unchanged if it is the only upstream, after the demo models', async () => {
    const upstream = await startScriptedUpstream((_request, res) => {
      res.end('{"data":[{"id":"maker/model a","created":5,"owned_by":"maker"},{"id":"b"}]}');
    });
    const gateway = await startGatewayFor([createUpstreamConfig('one', upstream.baseUrl)], { demo: true });
    const { data } = (await (await getModels(gateway)).json()) as { data: { id: string }[] };
    assert.deepEqual(
      data.map(({ id }) => id),
      ['demo/chat', 'demo/reasoning', 'demo/video', 'maker/model a', 'b'],
    );
    assert.deepEqual(data[3], {
      id: 'maker/model a',
      object: 'model',
      created: 5,
      owned_by: 'maker',
      upstream: 'one',
    });
    await getModels(gateway);
    assert.equal(upstream.requests.length, 1);
  });

  it('has every field of its model list passed on', async () => {
    const element = {
      id: 'm',
      object: 'model',
      created: 5,
      owned_by: 'maker',
      name: 'M',
      context_length: 128_000,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
      supported_parameters: ['tools'],
      pricing: { prompt: '0.00000015', completion: '0.0000006' },
    };
    const upstream = await startScriptedUpstream((_request, res) => {
      res.end(JSON.stringify({ data: [{ ...element, description: 'Words', top_provider: {} }] }));
    });
    const gateway = await startGatewayFor([createUpstreamConfig('one', upstream.baseUrl)]);
    const listed = { ...element, description: 'Words', top_provider: {} };
    assert.deepEqual(await (await getModels(gateway)).json(), {
      object: 'list',
      data: [{ ...listed, upstream: 'one' }],
    });
  });

  it('has plain ids if it lists them first among several upstreams, and prefixed ids otherwise', async () => {
    const respond = (_request: UpstreamRequest, res: ServerResponse) => void res.end('{"data":[{"id":"m"}]}');
    const [one, two] = [await startScriptedUpstream(respond), await startScriptedUpstream(respond)];
    const gateway = await startGatewayFor([
      createUpstreamConfig('one', one.baseUrl),
      createUpstreamConfig('two', two.baseUrl, { models: ['m', 'x/y', 'one/x', 'two/own'] }),
    ]);
    const { data } = (await (await getModels(gateway)).json()) as {
      data: { id: string; upstream: string }[];
    };
    assert.deepEqual(
      data.map(({ id, upstream }) => [id, upstream]),
      [
        ['m', 'one'],
        ['two/m', 'two'],
        ['x/y', 'two'],
        ['two/one/x', 'two'],
        ['two/own', 'two'],
      ],
    );
    const cases: readonly (readonly [id: string, upstream: typeof one, own: string])[] = [
      ['m', one, 'm'],
      ['one/m', one, 'm'],
      ['one/unlisted', one, 'unlisted'],
      ['one/x', one, 'x'],
      ['two/m', two, 'm'],
      ['x/y', two, 'x/y'],
      ['two/x/y', two, 'x/y'],
      ['two/one/x', two, 'one/x'],
      // It lists an id that starts with its own name.
      ['two/own', two, 'two/own'],
      ['two/two/own', two, 'two/own'],
    ];
    for (const [id, upstream, own] of cases) {
      await (await postChat(gateway, { body: createChatBody('hi', { model: id, extra: 1 }) })).text();
      const sent = JSON.parse(upstream.requests.at(-1)?.body.toString() ?? '');
      assert.deepEqual(sent, createChatBody('hi', { model: own, extra: 1 }), id);
    }
    const before = one.requests.length + two.requests.length;
    const unknown = await postChat(gateway, { body: createChatBody('hi', { model: 'unlisted' }) });
    assert.equal(unknown.status, 404);
    assert.equal(one.requests.length + two.requests.length, before);

    const deep = `${'['.repeat(1e5)}${']'.repeat(1e5)}`;
    const body = `{"model":"one/m","messages":[{"role":"user","content":"x"}],"x":${deep}}`;
    assert.equal((await postChat(gateway, { body })).status, 200);
    assert.equal(one.requests.at(-1)?.body.toString(), body.replace('one/m', 'm'));
  });

  it('does not hide other upstreams when its list fails, and the reason is reported', async () => {
    const good = await startScriptedUpstream((_request, res) => res.end('{"data":[{"id":"m"}]}'));
    const html = await startScriptedUpstream((_request, res) => res.end('<html>'));
    const broken = await startScriptedUpstream((_request, res) => res.writeHead(401).end());
    const gateway = await startGatewayFor([
      createUpstreamConfig('html', html.baseUrl),
      createUpstreamConfig('good', good.baseUrl),
      createUpstreamConfig('broken', broken.baseUrl),
    ]);
    const list = (await (await getModels(gateway)).json()) as {
      data: { id: string }[];
      unavailable: { upstream: string; reason: string }[];
    };
    assert.deepEqual(
      list.data.map(({ id }) => id),
      ['m'],
    );
    assert.deepEqual(
      list.unavailable.map(({ upstream }) => upstream),
      ['html', 'broken'],
    );
    assert.match(list.unavailable[0]?.reason ?? '', /did not return a model list/);
    assert.match(list.unavailable[1]?.reason ?? '', /returned 401/);
  });

  it('has its last list used, and marked as stale, after a later failure', async () => {
    const failing = await startScriptedUpstream((_request, res) =>
      res.end('{"data":[{"id":"a","extra":1}]}'),
    );
    const gateway = await startGatewayFor([
      createUpstreamConfig('failing', failing.baseUrl),
      createUpstreamConfig('other', 'http://127.0.0.1:9/v1', { models: ['b'] }),
    ]);
    const list = async () => (await (await getModels(gateway)).json()) as Record<string, unknown>;
    const about = { object: 'model', created: 0, owned_by: '' };
    const b = { ...about, id: 'b', owned_by: 'other', upstream: 'other' };
    assert.deepEqual((await list()).data, [{ ...about, id: 'a', extra: 1, upstream: 'failing' }, b]);
    await failing.close();
    const reply = await postChat(gateway, { body: createChatBody('hi', { model: 'a' }) });
    assert.equal(reply.status, 502);
    const { data, unavailable } = await list();
    assert.deepEqual(data, [{ ...about, id: 'a', extra: 1, upstream: 'failing', stale: true }, b]);
    assert.match(
      JSON.stringify(unavailable),
      /^\[\{"upstream":"failing","reason":"Upstream 'failing' at .*\}\]$/,
    );
  });

  it('serves only models that are allowed and not hidden', async () => {
    const upstream = await startScriptedUpstream((_request, res) => {
      res.end('{"data":[{"id":"gpt-5"},{"id":"gpt-5-Mini"},{"id":"whisper"},{"id":"gpt-old"}]}');
    });
    const gateway = await startGatewayFor([
      createUpstreamConfig('one', upstream.baseUrl, { allow: ['GPT-*'], hide: ['*-old', '*mini'] }),
    ]);
    const { data } = (await (await getModels(gateway)).json()) as { data: { id: string }[] };
    assert.deepEqual(
      data.map(({ id }) => id),
      ['gpt-5'],
    );
    const before = upstream.requests.length;
    for (const model of ['gpt-5-mini', 'whisper', 'gpt-old', 'one/gpt-old', 'one/whisper']) {
      assert.equal((await postChat(gateway, { body: createChatBody('hi', { model }) })).status, 404, model);
    }
    assert.equal(upstream.requests.length, before);
    assert.equal((await postChat(gateway, { body: createChatBody('hi', { model: 'gpt-5' }) })).status, 200);
  });

  it('is named in the error for an unknown model if its models were never listed', async () => {
    const upstream = await startScriptedUpstream((_request, res) => res.end('{"data":[{"id":"a"}]}'));
    const gateway = await startGatewayFor([
      createUpstreamConfig('one', upstream.baseUrl),
      createUpstreamConfig('gone', 'http://127.0.0.1:9/v1'),
    ]);
    const reply = await postChat(gateway, { body: createChatBody('hi', { model: 'b' }) });
    assert.equal(reply.status, 503);
    assert.match(await reply.text(), /models of 'gone' could not be listed: .* write gone\/ before the id/);
    assert.equal((await postChat(gateway, { body: createChatBody('hi', { model: 'a' }) })).status, 200);
  });

  it('causes an error, not an empty list, if it is the only one and fails', async () => {
    const broken = await startScriptedUpstream((_request, res) => res.writeHead(500).end());
    const gateway = await startGatewayFor([createUpstreamConfig('broken', broken.baseUrl)]);
    const response = await getModels(gateway);
    assert.equal(response.status, 502);
    assert.match(await response.text(), /'broken' returned 500/);
  });
});
