import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { ask, getModels, postChat } from '../support/chatCompletionsCalls.ts';
import type { UpstreamRequest } from '../support/scriptedUpstream.ts';
import { named, upstreamsOfTest } from '../support/upstreamsOfTest.ts';

describe('an OpenAI-compatible upstream whose models are listed', function () {
  this.timeout(20_000);
  const { upstreamThat, gatewayFor } = upstreamsOfTest();

  it('alone, keeps its model ids; the demo models come first', async () => {
    const upstream = await upstreamThat((_request, res) => {
      res.end('{"data":[{"id":"maker/model a","created":5,"owned_by":"maker"},{"id":"b"}]}');
    });
    const gateway = await gatewayFor([named('one', upstream.baseUrl)], { demo: true });
    const { data } = (await (await getModels(gateway)).json()) as { data: { id: string }[] };
    assert.deepEqual(
      data.map(({ id }) => id),
      ['demo/chat', 'demo/reasoning', 'demo/video', 'maker/model a', 'b'],
    );
    assert.deepEqual(data[3], { id: 'maker/model a', object: 'model', created: 5, owned_by: 'maker' });
    await getModels(gateway);
    assert.equal(upstream.requests.length, 1);
  });

  it('tells of its models all that it lists: what they are for, how much they read, what they cost and more', async () => {
    const element = {
      ...{ id: 'm', object: 'model', created: 5, owned_by: 'maker', name: 'M', context_length: 128_000 },
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
      supported_parameters: ['tools'],
      pricing: { prompt: '0.00000015', completion: '0.0000006' },
    };
    const upstream = await upstreamThat((_request, res) => {
      res.end(JSON.stringify({ data: [{ ...element, description: 'Words', top_provider: {} }] }));
    });
    const gateway = await gatewayFor([named('one', upstream.baseUrl)]);
    const listed = { ...element, description: 'Words', top_provider: {} };
    assert.deepEqual(await (await getModels(gateway)).json(), { object: 'list', data: [listed] });
  });

  it('among several, has its name before its ids, and knows its own ids only', async () => {
    const answer = (_request: UpstreamRequest, res: ServerResponse) => void res.end('{"data":[{"id":"m"}]}');
    const [one, two] = [await upstreamThat(answer), await upstreamThat(answer)];
    const gateway = await gatewayFor([
      named('one', one.baseUrl),
      named('two', two.baseUrl, { models: ['x/y'] }),
    ]);
    const { data } = (await (await getModels(gateway)).json()) as { data: { id: string }[] };
    assert.deepEqual(
      data.map(({ id }) => id),
      ['one/m', 'two/x/y'],
    );
    await (await postChat(gateway, { body: ask('hi', { model: 'two/x/y', extra: 1 }) })).text();
    assert.deepEqual(
      JSON.parse(two.requests[0]?.body.toString() ?? ''),
      ask('hi', { model: 'x/y', extra: 1 }),
    );
    assert.equal((await postChat(gateway, { body: ask('hi', { model: 'm' }) })).status, 404);
    assert.equal(one.requests.length, 1);

    const deep = `${'['.repeat(1e5)}${']'.repeat(1e5)}`;
    const body = `{"model":"one/m","messages":[{"role":"user","content":"x"}],"x":${deep}}`;
    assert.equal((await postChat(gateway, { body })).status, 200);
    assert.equal(one.requests.at(-1)?.body.toString(), body.replace('one/m', 'm'));
  });

  it('that fails to list its models hides no other, and the reason is told', async () => {
    const good = await upstreamThat((_request, res) => res.end('{"data":[{"id":"m"}]}'));
    const html = await upstreamThat((_request, res) => res.end('<html>'));
    const broken = await upstreamThat((_request, res) => res.writeHead(401).end());
    const gateway = await gatewayFor([
      named('html', html.baseUrl),
      named('good', good.baseUrl),
      named('broken', broken.baseUrl),
    ]);
    const list = (await (await getModels(gateway)).json()) as {
      data: { id: string }[];
      unavailable: { upstream: string; reason: string }[];
    };
    assert.deepEqual(
      list.data.map(({ id }) => id),
      ['good/m'],
    );
    assert.deepEqual(
      list.unavailable.map(({ upstream }) => upstream),
      ['html', 'broken'],
    );
    assert.match(list.unavailable[0]?.reason ?? '', /sent no model list/);
    assert.match(list.unavailable[1]?.reason ?? '', /answered 401/);
  });

  it('all of which fail makes the list an error, not an empty list', async () => {
    const broken = await upstreamThat((_request, res) => res.writeHead(500).end());
    const gateway = await gatewayFor([named('broken', broken.baseUrl)]);
    const response = await getModels(gateway);
    assert.equal(response.status, 502);
    assert.match(await response.text(), /'broken' answered 500/);
  });
});
