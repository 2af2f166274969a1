import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { GatewayClient } from '../../src/client/gatewayClient.ts';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import {
  createClient,
  createVideoInteraction,
  hasEnded,
  readUntil,
  sendCall,
} from '../support/gatewayTaskCalls.ts';

const quick = 'queue for 0 seconds, take 0.1 seconds';

describe('the result of a task of the local gateway', function () {
  this.timeout(20_000);
  let gateway: RunningGateway;
  let client: GatewayClient;
  let path: string;
  let content: Buffer;

  before(async () => {
    gateway = await startGateway();
    client = createClient(gateway);
    path = await createContent(`A cat. ${quick}`);
    content = (await sendCall(gateway, { path })).bytes;
  });
  after(async () => {
    await client.close();
    await gateway.stop();
  });

  /** The address of a task's first result, after the task has ended. */
  async function createContent(prompt: string, aspect_ratio?: string): Promise<string> {
    const response_format = { type: 'video', ...(aspect_ratio && { aspect_ratio }) };
    const { id } = await client.startInteraction(createVideoInteraction(prompt, { response_format }));
    await readUntil(client, id, hasEnded);
    return `/v1/tasks/${id}/content`;
  }

  for (const [form, clip, [width, height]] of [
    ['16:9', 'landscape', [640, 360]],
    ['9:16', 'portrait', [360, 640]],
    ['1:1', 'square', [480, 480]],
  ] as const) {
    it(`F88 is a whole video in the requested form: ${form}`, async () => {
      const path = await createContent(`A cat. ${quick}`, form);
      const { status, headers, bytes } = await sendCall(gateway, { path });
      assert.equal(status, 200);
      assert.equal(headers.get('content-type'), 'video/mp4');
      assert.equal(Number(headers.get('content-length')), bytes.length);
      assert.equal(headers.get('accept-ranges'), 'bytes');
      assert.match(headers.get('etag') ?? '', /^"[\w-]+"$/);
      assert.ok(bytes.equals(readFileSync(`media/demo/${clip}.mp4`)));
      assert.equal(bytes.subarray(4, 8).toString(), 'ftyp');
      assert.deepEqual(readSize(bytes), [width, height]);
      assert.ok(bytes.includes('avc1') && bytes.indexOf('moov') < bytes.indexOf('mdat'));
      assert.equal(bytes.includes('mp4a'), clip === 'landscape');
      assert.ok(bytes.length < 80_000);
    });
  }

  /** Width and height of the first track, from its header (ISO/IEC 14496-12, 8.3.2). */
  function readSize(video: Buffer): readonly number[] {
    const header = video.indexOf('tkhd') + 4;
    return [76, 80].map((offset) => video.readUInt32BE(header + offset) / 65_536);
  }

  it('F86 is sent in parts that make up the whole', async () => {
    const part = (range: string) => sendCall(gateway, { path, headers: { range } });
    const [first, rest, tail] = [
      await part('bytes=0-999'),
      await part('bytes=1000-'),
      await part('bytes=-10'),
    ];
    for (const { status } of [first, rest, tail]) assert.equal(status, 206);
    assert.ok(Buffer.concat([first.bytes, rest.bytes]).equals(content));
    assert.ok(tail.bytes.equals(content.subarray(-10)));
    const end = content.length - 1;
    assert.equal(first.headers.get('content-range'), `bytes 0-999/${content.length}`);
    assert.equal(rest.headers.get('content-range'), `bytes 1000-${end}/${content.length}`);
    assert.equal(Number(first.headers.get('content-length')), 1_000);
    assert.equal(first.headers.get('content-type'), 'video/mp4');
  });

  it('F86 is sent whole, not in part, if the If-Range tag differs or is a date', async () => {
    const { headers } = await sendCall(gateway, { path });
    const part = (tag: string) =>
      sendCall(gateway, { path, headers: { range: 'bytes=9-', 'if-range': tag } });
    assert.equal((await part(headers.get('etag') ?? '')).status, 206);
    for (const other of ['"other"', `W/${headers.get('etag')}`, 'Wed, 21 Oct 2015 07:28:00 GMT']) {
      const reply = await part(other);
      assert.equal(reply.status, 200, other);
      assert.ok(reply.bytes.equals(content));
    }
  });

  it('F87 is 416 for a range beyond its end', async () => {
    const beyond = await sendCall(gateway, { path, headers: { range: `bytes=${content.length}-` } });
    assert.equal(beyond.status, 416);
    assert.equal(beyond.headers.get('content-range'), `bytes */${content.length}`);
    assert.equal(beyond.bytes.length, 0);
  });

  it('requires the credential', async () => {
    const stranger = await sendCall(gateway, { path, headers: { authorization: 'Bearer test-credential' } });
    assert.equal(stranger.status, 401);
  });

  it('is selected by its index if there are several', async () => {
    const several = await createContent(`make 3 videos. ${quick}`);
    const clips = ['landscape', 'portrait', 'square'].map((name) => readFileSync(`media/demo/${name}.mp4`));
    for (const [index, clip] of clips.entries()) {
      const { bytes } = await sendCall(gateway, { path: `${several}?index=${index}` });
      assert.ok(bytes.equals(clip), String(index));
    }
    const { results } = await client.readTask(several.split('/')[3] ?? '');
    assert.deepEqual(
      results.map(({ url }) => url.replace(gateway.baseUrl, '')),
      [several, `${several}?index=1`, `${several}?index=2`],
    );
  });

  const missing: readonly (readonly [string, prompt: string, query: string, status: number, code: string])[] =
    [
      [
        'is not available at an index without a result',
        `A cat. ${quick}`,
        '?index=1',
        404,
        'result_not_found',
      ],
      ['is not available at an invalid index', `A cat. ${quick}`, '?index=-1', 400, 'invalid_value'],
      ['is not available if the task has no result', `no result. ${quick}`, '', 404, 'result_not_found'],
      ['is not available if the task failed', `fail. ${quick}`, '', 409, 'task_not_completed'],
      ['F72 is not available after it has expired', `expire at once. ${quick}`, '', 410, 'result_expired'],
    ];
  for (const [title, prompt, query, status, code] of missing) {
    it(title, async () => {
      const reply = await sendCall(gateway, { path: (await createContent(prompt)) + query });
      assert.deepEqual([reply.status, reply.json.error.code], [status, code]);
    });
  }

  it('is not available while the task runs', async () => {
    const { id } = await client.startInteraction(createVideoInteraction('never finish'));
    const { status, json } = await sendCall(gateway, { path: `/v1/tasks/${id}/content` });
    assert.deepEqual([status, json.error.code], [409, 'task_not_completed']);
    await client.cancelTask(id);
  });
});
