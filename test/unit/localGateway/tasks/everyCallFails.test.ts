import assert from 'node:assert/strict';
import { join } from 'node:path';
import { HttpError, UnbilledError } from '../../../../src/localGateway/http/httpError.ts';
import { readRequestBody } from '../../../../src/localGateway/http/requestBody.ts';
import type { Catalogue } from '../../../../src/localGateway/models/catalogue.ts';
import type { TaskCreator } from '../../../../src/localGateway/tasks/taskCreator.ts';
import { taskHeader } from '../../../../src/localGateway/tasks/taskFailures.ts';
import { createTaskFile, type TaskFile } from '../../../../src/localGateway/tasks/taskFile.ts';
import { isUpstreamTask } from '../../../../src/localGateway/tasks/taskState.ts';
import type { UpstreamTask } from '../../../../src/localGateway/tasks/upstreamTask.ts';
import { UpstreamTaskActions } from '../../../../src/localGateway/tasks/upstreamTaskActions.ts';
import type { Upstream } from '../../../../src/localGateway/upstreams/upstream.ts';
import { openConfiguredUpstream } from '../../../support/configuredUpstream.ts';
import { testEveryCall } from '../../../support/everyCall.ts';
import type { FailingCalls } from '../../../support/failingCalls.ts';
import { VideoServer } from '../../../support/videoServer.ts';

const draft = { upstream: 'one', model: 'video-1', format: 'videos', prompt: 'a lake' } as const;

/** A run of the gateway, without its own server. */
class GatewayRun {
  readonly file: TaskFile;
  readonly remote: UpstreamTaskActions;
  readonly #upstream: Upstream;

  constructor(folder: string, { baseUrl }: VideoServer) {
    const upstream = openConfiguredUpstream({ kind: 'videos', baseUrl });
    const catalogue: Pick<Catalogue, 'findUpstream'> = { findUpstream: () => upstream };
    this.#upstream = upstream;
    this.file = createTaskFile(join(folder, 'tasks.sqlite'), () => undefined);
    this.remote = new UpstreamTaskActions(catalogue as Catalogue, this.file, () => undefined, {});
  }

  /** Sends the same request each time. */
  async create(): Promise<UpstreamTask> {
    const { tasks } = this.#upstream;
    const send: Parameters<TaskCreator['create']>[0]['send'] = (call) =>
      tasks.videos?.create(call) ?? assert.fail();
    const outcome = await this.remote.creator.create({
      ...draft,
      upstream: this.#upstream,
      send,
      servedModel: 'video-1',
      requestId: 'r',
      identity: { fingerprint: 'f', idempotencyKey: 'click' },
      body: readRequestBody(Buffer.from(JSON.stringify({ model: 'video-1', prompt: 'a lake' }))),
      headers: { 'content-type': 'application/json' },
      callerSignal: new AbortController().signal,
      spending: { reserve: () => ({ settle: () => {} }) },
    });
    return 'task' in outcome ? outcome.task : assert.fail('The upstream refused.');
  }

  /** Reads the task until its result is stored. */
  async finish({ id }: UpstreamTask): Promise<void> {
    await this.remote.readings.refresh(this.task(id));
    await this.remote.results.fetchMissing(this.task(id));
  }

  task(id: string): UpstreamTask {
    const task = this.file.open().get(id);
    return task && isUpstreamTask(task) ? task : assert.fail(`The task ${id} is lost.`);
  }

  async close(): Promise<void> {
    await this.remote.close();
    this.file.close();
    await this.#upstream.close?.();
  }
}

describe('a task of the local gateway until its result is stored', () => {
  const server = new VideoServer();
  let earlier = '';
  /** The task that the caller received, or the id in the error of unknown outcome. */
  let received: string | undefined;
  before(() => server.start());
  after(() => server.stop());

  function prepare(folder: string): void {
    const file = createTaskFile(join(folder, 'tasks.sqlite'), () => undefined);
    const { task } = file.open().createUpstreamTask({ ...draft, requestId: 'earlier', fingerprint: 'e' });
    earlier = task.id;
    assert.ok(isUpstreamTask(task));
    file.open().changeState(earlier, { ...task, status: 'failed', upstreamId: 'task-earlier' });
    file.close();
    server.createdIds.length = 0;
    received = undefined;
  }

  async function makeVideo(folder: string, calls: FailingCalls): Promise<void> {
    const run = new GatewayRun(folder, server);
    try {
      const task = await run.create().catch((error: unknown) => {
        if (error instanceof HttpError) received = error.headers[taskHeader];
        if (error instanceof UnbilledError) assert.deepEqual(server.createdIds, []);
        throw error;
      });
      received = task.id;
      await run.finish(task);
      // Another call of the caller would read it again.
      if (calls.failedCall !== undefined) await run.finish(task);
    } finally {
      await run.close();
    }
  }

  async function check(folder: string, failed: string | undefined): Promise<void> {
    const run = new GatewayRun(folder, server);
    try {
      run.file.open();
      const [id] = server.createdIds;
      assert.ok(server.createdIds.length <= 1, `${server.createdIds.length} requests were sent`);
      assert.equal(run.task(earlier).upstreamId, 'task-earlier');
      if (received !== undefined) run.task(received);
      const task = await run.create().catch((error: unknown) => assertUnknown(error, run));
      assert.equal(server.createdIds.length, id === undefined && !task ? 0 : 1, 'it is not sent again');
      if (failed === undefined) assert.ok(task);
      if (!task) return;
      assert.equal(task.upstreamId, server.createdIds[0]);
      await run.finish(task);
      const [stored] = Object.values(run.task(task.id).storedResults);
      assert.ok(stored, 'the result is not stored');
      assert.deepEqual(await run.remote.results.folder.read(stored), server.clip);
    } finally {
      await run.close();
    }
  }

  /** The request may have been sent, so it is not sent again, and its task remains with an unknown outcome. */
  function assertUnknown(error: unknown, run: GatewayRun): undefined {
    assert.ok(error instanceof HttpError, String(error));
    assert.equal(error.code, 'outcome_unknown');
    assert.equal(run.task(error.headers[taskHeader] ?? '').upstreamId, undefined);
  }

  testEveryCall({ prepare, flow: makeVideo, check }, { atLeast: 300 });
});
