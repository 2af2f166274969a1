import assert from 'node:assert/strict';
import type { GatewayClient } from '../../src/client/gatewayClient.ts';
import { videoPhrases } from '../../src/localGateway/demo/promptOptions.ts';
import type { ChatEvent } from '../../src/wire/chatEvent.ts';
import { createChatBody, postChat, readCompletion } from '../support/chatCompletionsCalls.ts';
import { catchFailure } from '../support/faultServerCalls.ts';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import {
  createClient,
  createVideoInteraction,
  createVideoSynthesis,
  hasEnded,
  readUntil,
  sendCall,
} from '../support/gatewayTaskCalls.ts';

const quick = 'queue for 0 seconds, take 0.1 seconds';

describe('the phrases in the prompt of a demo video', function () {
  this.timeout(20_000);
  let gateway: RunningGateway;
  let client: GatewayClient;

  before(async () => {
    gateway = await startGateway();
    client = createClient(gateway);
  });
  after(async () => {
    await client.close();
    await gateway.stop();
  });

  const start = async (prompt: string) => (await client.startInteraction(createVideoInteraction(prompt))).id;
  const runToEnd = async (prompt: string) => readUntil(client, await start(prompt), hasEnded);
  /** The times of creation, start and end, in seconds. */
  async function readTimes(id: string) {
    const { raw } = await client.readTask(id);
    const { created_at, started_at, finished_at } = raw as Readonly<Record<string, number>>;
    return { created_at, started_at, finished_at };
  }

  it('are all listed in the demo’s help', async () => {
    const { choices } = await readCompletion(await postChat(gateway, { body: createChatBody('help') }));
    for (const [phrase] of videoPhrases) {
      assert.ok(choices[0]?.message.content?.includes(`| \`${phrase}\` |`), phrase);
    }
  });

  it('"take 2 seconds" and "queue for 1 second" set the times of the task', async () => {
    const id = await start('queue for 1 second, take 2 seconds');
    await readUntil(client, id, hasEnded);
    const { created_at = 0, started_at, finished_at } = await readTimes(id);
    assert.deepEqual([started_at, finished_at], [created_at + 1, created_at + 3]);
  });

  it('"fail" makes the task fail half-way', async () => {
    const { status, progress, error, results } = await runToEnd(`fail. ${quick}`);
    assert.deepEqual([status, progress, error?.code, results], ['failed', 50, 'demo_failure', []]);
    assert.match(error?.message ?? '', /failed half-way/);
  });

  it('"fail with content filter" makes a content filter stop the task, also for a waiting request', async () => {
    const { error } = await runToEnd(`fail with content filter. ${quick}`);
    assert.equal(error?.code, 'content_filter');
    const { outcome } = await client.interactions(
      createVideoInteraction(`fail with content filter. ${quick}`),
      () => {},
    );
    assert.equal(outcome.kind === 'failed' && outcome.error.reason, 'content-filter');
  });

  it('"fail with 429" makes either route refuse the request, without a task', async () => {
    const before = await client.listTasks(1);
    const refused = await Promise.all([
      catchFailure(client.startInteraction(createVideoInteraction('fail with 429'))),
      catchFailure(client.videoSynthesis(createVideoSynthesis('fail with 429'))),
    ]);
    for (const { kind, status, retryAfterMs } of refused) {
      assert.deepEqual([kind, status, retryAfterMs], ['rate-limited', 429, 2_000]);
    }
    assert.equal(
      (await catchFailure(client.videoSynthesis(createVideoSynthesis('fail with 503')))).status,
      503,
    );
    assert.equal((await client.listTasks(1))[0]?.id, before[0]?.id);
  });

  it('"no result" completes the task without a result', async () => {
    const { status, results } = await runToEnd(`no result. ${quick}`);
    assert.deepEqual([status, results], ['completed', []]);
    const { outcome } = await client.interactions(createVideoInteraction(`no result. ${quick}`), () => {});
    assert.equal(outcome.kind === 'failed' && outcome.error.reason, 'empty-reply');
  });

  it('"make 2 videos" returns several results', async () => {
    assert.equal((await runToEnd(`make 2 videos. ${quick}`)).results.length, 2);
    const events: ChatEvent[] = [];
    await client.interactions(createVideoInteraction(`make 2 videos. ${quick}`), (some) =>
      events.push(...some),
    );
    assert.equal(events.filter(({ type }) => type === 'media').length, 2);
  });

  it('"never finish" lets the task run until it is cancelled', async () => {
    const id = await start('never finish, queue for 0 seconds, take 0.1 seconds');
    const late = await readUntil(client, id, ({ progress }) => progress === 99);
    assert.equal(late.status, 'running');
    assert.equal((await client.cancelTask(id))?.failedAs, 'cancelled');
  });

  it('"cannot be cancelled" makes the task refuse to be cancelled until it has ended', async () => {
    const endless = await start('never finish, cannot be cancelled');
    const { status, gatewayMessage } = await catchFailure(client.cancelTask(endless));
    assert.equal(status, 409);
    assert.match(gatewayMessage ?? '', /cannot be cancelled/);
    assert.equal((await client.readTask(endless)).status, 'running');

    const { id = '', raw } = await runToEnd(`cannot be cancelled. ${quick}`);
    assert.deepEqual((await client.cancelTask(id))?.raw, raw);
  });

  it('"expire at once" makes the result expire when the task completes', async () => {
    const { status, results, expiresAt, finishedAt } = await runToEnd(`expire at once. ${quick}`);
    assert.deepEqual([status, expiresAt], ['completed', finishedAt]);
    assert.equal((await sendCall(gateway, { path: results[0]?.url ?? '' })).status, 410);
  });

  it('"answer late" delays the reply, while the task already exists', async () => {
    const [before] = await client.listTasks(1);
    const abandoned = new AbortController();
    const held = catchFailure(
      client.startInteraction(createVideoInteraction('answer 60 seconds late'), { signal: abandoned.signal }),
    );
    for (let newest = before; newest?.id === before?.id; ) [newest] = await client.listTasks(1);
    abandoned.abort();
    assert.equal((await held).kind, 'cancelled');

    const started = performance.now();
    const { id } = await client.startInteraction(createVideoInteraction(`answer 0.3 seconds late. ${quick}`));
    assert.ok(performance.now() - started >= 299);
    assert.equal((await client.listTasks(1))[0]?.id, id);
  });

  it('F66 "lose the answer" creates the task, but closes the connection without a reply', async () => {
    const prompt = 'lose the answer, never finish';
    const lost = await Promise.all([
      catchFailure(client.startInteraction(createVideoInteraction(prompt), { requestId: 'lost-1' })),
      catchFailure(client.videoSynthesis(createVideoSynthesis(prompt), { requestId: 'lost-2' })),
    ]);
    for (const { kind, requestId } of lost) {
      assert.equal(kind, 'unreachable');
      const listed = await client.listTasks(2);
      const found = listed.find(({ raw }) => (raw as { request_id: string }).request_id === requestId);
      assert.equal(found?.status, 'running');
      await client.cancelTask(found?.id ?? '');
    }
  });
});
