import assert from 'node:assert/strict';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { createVideoInteraction, createVideoSynthesis, sendCall } from '../support/gatewayTaskCalls.ts';
import { type ScriptedUpstream, startUpstream } from '../support/scriptedUpstream.ts';
import { createVideo } from '../support/upstreamTaskKinds.ts';

const synthesisPath = '/api/v1/services/aigc/video-generation/video-synthesis';
const picture = Buffer.from('RIFF....WEBP');

const etag = '"of-the-picture"';

describe('the list of videos', function () {
  this.timeout(60_000);
  let upstream: ScriptedUpstream;
  let gateway: RunningGateway;
  /** The ids of all videos, in the order of their creation. */
  const createdIds: string[] = [];
  let remote: string;

  before(async () => {
    upstream = await startUpstream(({ path, headers }, res) => {
      if (headers['if-none-match'] === etag || path.endsWith('variant=uncached'))
        res.writeHead(304, { etag }).end();
      else if (path.endsWith('/content?variant=thumbnail'))
        res.writeHead(200, { 'content-type': 'image/webp', etag }).end(picture);
      else if (path.includes('/content')) res.writeHead(404).end('{"error":{"message":"No such variant."}}');
      else res.writeHead(200).end(JSON.stringify(createVideo('completed', { seconds: '4' })));
    });
    const { origin } = new URL(upstream.baseUrl);
    gateway = await startGateway({
      config: { upstreams: [{ name: 'one', kind: 'videos', baseUrl: origin }] },
    });
    const create = async (path: string, body: object, headers = {}) =>
      createdIds.push((await sendCall(gateway, { path, body, headers })).json.id);
    await create(synthesisPath, createVideoSynthesis('A cat'), { 'x-vendor-async': 'enable' });
    await create('/v1/videos', { model: 'm', prompt: 'A dog' });
    remote = createdIds.at(-1) ?? '';
    await create('/v1beta/interactions', { ...createVideoInteraction('A bird'), background: true });
    await create('/v1/videos', { model: 'demo/video', prompt: 'A fish' });
  });
  after(async () => {
    await gateway.stop();
    await upstream.close();
  });

  const list = async (query = '') => (await sendCall(gateway, { path: `/v1/videos${query}` })).json;
  const listIds = ({ data }: { readonly data: readonly { readonly id: string }[] }) =>
    data.map(({ id }) => id);

  it('contains the videos of all routes, newest first, as video jobs, without a request to an upstream', async () => {
    const requestCount = upstream.requests.length;
    const page = await list();
    assert.deepEqual(listIds(page), createdIds.toReversed());
    const { object, first_id, last_id, has_more } = page;
    assert.deepEqual(
      [object, first_id, last_id, has_more],
      ['list', createdIds.at(-1), createdIds[0], false],
    );
    const { object: kind, seconds } = page.data.find(({ id }: { id: string }) => id === remote);
    assert.deepEqual([kind, seconds], ['video', '4']);
    assert.equal(upstream.requests.length, requestCount);
  });

  it('is returned in pages, in either order', async () => {
    for (const [order, expected] of [
      ['desc', createdIds.toReversed()],
      ['asc', createdIds],
    ] as const) {
      const seen: string[] = [];
      let page = await list(`?limit=3&order=${order}`);
      for (;;) {
        seen.push(...listIds(page));
        if (!page.has_more) break;
        page = await list(`?limit=3&order=${order}&after=${page.last_id}`);
      }
      assert.deepEqual(seen, expected);
    }
    const none = { object: 'list', data: [], first_id: null, last_id: null, has_more: true };
    assert.deepEqual(await list('?limit=0'), none);
    const after = await list(`?after=${createdIds[0]}`);
    assert.deepEqual([after.data, after.has_more], [[], false]);
  });

  it('names an invalid field in the error', async () => {
    for (const query of ['limit=101', 'limit=-1', 'limit=', 'limit=1&limit=2', 'order=up', 'after=video_1']) {
      const { status, json } = await sendCall(gateway, { path: `/v1/videos?${query}` });
      assert.equal(status, 400, query);
      assert.equal(json.error.param, query.split('=')[0]);
    }
  });

  it('offers other variants of a video from its upstream, and reports a missing variant', async () => {
    const content = (id: string, variant: string, headers = {}) =>
      sendCall(gateway, { path: `/v1/videos/${id}/content?variant=${variant}`, headers });
    const thumbnail = await content(remote, 'thumbnail');
    assert.deepEqual(thumbnail.bytes, picture);
    assert.equal(thumbnail.headers.get('content-type'), 'image/webp');
    const unchanged = await content(remote, 'thumbnail', { 'if-none-match': etag });
    assert.deepEqual(
      [unchanged.status, unchanged.headers.get('etag'), unchanged.bytes.length],
      [304, etag, 0],
    );
    assert.equal((await content(remote, 'uncached')).status, 502);
    const other = await content(remote, 'other%26x');
    assert.equal(other.status, 404);
    assert.equal(upstream.requests.at(-1)?.path, '/v1/videos/video_1/content?variant=other%26x');
    const demo = await content(createdIds[0] ?? '', 'thumbnail');
    assert.deepEqual([demo.status, demo.json.error.param], [400, 'variant']);
  });
});
