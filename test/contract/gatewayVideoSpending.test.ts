import assert from 'node:assert/strict';
import { readDurationAndCost } from '../../src/wire/apis/taskRecord/durationAndCost.ts';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { type ScriptedUpstream, startUpstream } from '../support/scriptedUpstream.ts';
import { createUpstreamConfig } from '../support/testUpstreams.ts';

describe('P17 spending limits of the local gateway for videos', function () {
  this.timeout(120_000);
  const gateways: RunningGateway[] = [];
  const upstreams: ScriptedUpstream[] = [];

  afterEach(async () => {
    await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
    await Promise.all(upstreams.splice(0).map((upstream) => upstream.close()));
  });

  async function serve(...[respond]: Parameters<typeof startUpstream>): Promise<ScriptedUpstream> {
    const upstream = await startUpstream(respond);
    upstreams.push(upstream);
    return upstream;
  }

  /** Starts a gateway with a daily limit, whose upstream makes videos. */
  async function gatewayWith(baseUrl: string, upstream: object, money: number): Promise<RunningGateway> {
    const gateway = await startGateway({
      demo: false,
      config: {
        upstreams: [createUpstreamConfig('one', baseUrl, { models: ['film'], ...upstream })],
        limits: [{ per: 'day', money }],
      },
    });
    gateways.push(gateway);
    return gateway;
  }

  function send(
    { baseUrl, credential }: RunningGateway,
    path: string,
    fields: object = { model: 'film', prompt: 'A cat', seconds: '4' },
  ): Promise<Response> {
    return fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    });
  }

  it('apply to videos by their price', async () => {
    const videos = await serve((_, response) => void response.end());
    const film = { videos: true, prices: [{ models: 'film', perSecond: 0.5 }] };
    const gateway = await gatewayWith(videos.baseUrl, film, 1);
    const refused = await send(gateway, '/v1/videos');
    assert.equal(refused.status, 429);
    assert.equal(videos.requests.length, 0);
  });

  it('count what the upstream reads, and refuse a body that it may read in another way', async () => {
    const videos = await serve((_, response) => void response.end());
    const film = { videos: true, prices: [{ models: 'film', perRequest: 1 }] };
    const { baseUrl, credential } = await gatewayWith(videos.baseUrl, film, 5);
    const headers = { authorization: `Bearer ${credential}`, 'content-type': 'application/json' };
    for (const [fields, status] of [
      ['"n":100,"n":1', 400],
      ['"n":1,"N":100', 400],
      ['"n":"1_00"', 403],
    ] as const) {
      const body = `{"model":"film","prompt":"A cat",${fields}}`;
      assert.equal((await fetch(`${baseUrl}/v1/videos`, { method: 'POST', headers, body })).status, status);
    }
    const marked = '\ufeff{"model":"film","prompt":"A cat","n":100}';
    const refused = await fetch(`${baseUrl}/v1/videos`, { method: 'POST', headers, body: marked });
    assert.equal(refused.status, 429);
    assert.equal(videos.requests.length, 0);
  });

  it('count all videos of a request, and the length in a form and of a remix', async () => {
    const videos = await serve((_, response) => {
      const record = { id: 'video-1', object: 'video', status: 'queued', model: 'film', seconds: '4' };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(record));
    });
    const film = { videos: true, prices: [{ models: 'film', perSecond: 0.25 }] };
    const gateway = await gatewayWith(videos.baseUrl, film, 6);
    const { baseUrl, credential } = gateway;
    const body = new FormData();
    for (const [name, value] of Object.entries({ model: 'one/film', prompt: 'A cat', seconds: '4' }))
      body.set(name, value);
    const headers = { authorization: `Bearer ${credential}` };
    const created = await fetch(`${baseUrl}/v1/videos`, { method: 'POST', headers, body });
    assert.equal(created.status, 200, await created.clone().text());
    const { id } = (await created.json()) as { id: string };
    const remixed = await send(gateway, `/v1/videos/${id}/remix`, { prompt: 'A dog' });
    assert.equal(remixed.status, 200, await remixed.text());
    const video = { model: 'film', prompt: 'A cat', seconds: '4' };
    assert.equal((await send(gateway, '/v1/videos', { ...video, n: 3 })).status, 200);
    const refused = await send(gateway, '/v1/videos', { ...video, n: 2 });
    assert.equal(refused.status, 429);
    assert.match(await refused.text(), /5 USD of 6 USD used.* This request needs about 2 USD/);
  });

  it('keep the price of a failed video unless its record reports that it was free', async () => {
    let record: object = { id: 'video-1', object: 'video', status: 'queued', model: 'film' };
    const videos = await serve((_, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(record));
    });
    const film = { videos: true, prices: [{ models: 'film', perRequest: 1 }] };
    const gateway = await gatewayWith(videos.baseUrl, film, 2);
    const { baseUrl, credential } = gateway;
    const make = () => send(gateway, '/v1/videos');
    const queued = record;
    const fail = async (more: object) => {
      record = queued;
      const creation = await make();
      assert.equal(creation.status, 200);
      const { id } = (await creation.json()) as { id: string };
      record = { ...queued, status: 'failed', error: { message: 'You were not charged.' }, ...more };
      const headers = { authorization: `Bearer ${credential}` };
      for (let status = ''; status !== 'failed'; ) {
        const read = await fetch(`${baseUrl}/v1/videos/${id}`, { headers });
        ({ status } = (await read.json()) as { status: string });
      }
    };
    for (let count = 0; count < 3; count++) await fail({ usage: { cost: 0 } });
    await fail({});
    await fail({});
    const refused = await make();
    assert.equal(refused.status, 429);
    assert.match(
      await refused.text(),
      /2 USD of 2 USD used \(2 USD of it for failed tasks, which may not be billed\)/,
    );
  });

  it('do not count a video that was cancelled while it was queued', async () => {
    let status = 'queued';
    const videos = await serve(({ method }, response) => {
      if (method === 'DELETE') status = 'cancelled';
      if (method === 'POST') status = 'queued';
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ id: 'cgt-1', status }));
    });
    const film = { kind: 'ark', prices: [{ models: 'film', perRequest: 1 }] };
    const gateway = await gatewayWith(new URL(videos.baseUrl).origin, film, 1);
    const make = () => send(gateway, '/v1/videos', { model: 'film', prompt: 'A cat', seconds: '5' });
    for (let count = 0; count < 2; count++) {
      const creation = await make();
      assert.equal(creation.status, 200);
      const { id } = (await creation.json()) as { id: string };
      const cancelled = await send(gateway, `/v1/tasks/${id}/cancel`, {});
      const ended = (await cancelled.json()) as { status: string };
      assert.equal(ended.status, 'cancelled');
      assert.equal(readDurationAndCost(ended).costUsd, 0, 'callers learn it too');
    }
    await make();
    assert.equal((await make()).status, 429);
  });
});
