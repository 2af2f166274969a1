import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { CreateOptions } from '../../../src/client/types.ts';
import { type Database, openDatabase, StorageError } from '../../../src/storage/database.ts';
import { Ledger } from '../../../src/tasks/ledger/ledger.ts';
import { ledgerMigrations } from '../../../src/tasks/ledger/ledgerSchema.ts';
import type { Task } from '../../../src/tasks/record/task.ts';
import { type SubmitClient, submitTask } from '../../../src/tasks/submitTask.ts';
import { decodeTask } from '../../../src/wire/apis/taskRecord/decodeTask.ts';
import { type VideoRouteId, videoRoutes } from '../../../src/wire/apis/videoRoutes.ts';
import type { GatewayErrorInit } from '../../../src/wire/failures/gatewayError.ts';
import { TestClock } from '../../support/testClock.ts';
import { type CreateOutcome, createGatewayError, TestGateway } from '../../support/testGateway.ts';
import { createDraft, createTasksFolder } from '../../support/testWindow.ts';

type Submission = Parameters<typeof submitTask>[2];

describe('submitTask', () => {
  const folder = createTasksFolder();
  let clock: TestClock;
  let server: TestGateway;
  let database: Database;
  let ledger: Ledger;
  let files = 0;

  beforeEach(() => {
    clock = new TestClock();
    server = new TestGateway(() => clock.now());
    files += 1;
    database = openDatabase({ path: join(folder.path, `${files}.sqlite`), migrations: ledgerMigrations });
    ledger = new Ledger(database, { window: 'one', now: () => clock.now() });
  });

  afterEach(() => ledger.close());

  after(() => folder.remove());

  function createIntent(facts: Parameters<typeof createDraft>[1] = {}): Task {
    const task = ledger.create(createDraft('a', facts));
    assert.ok(task);
    return task;
  }

  function readStatus(): string | undefined {
    return ledger.get('a')?.status;
  }

  const request = { model: 'video-1', input: 'a lake', background: true };

  function send(change: Partial<Submission> = {}) {
    const task = ledger.get('a') ?? createIntent();
    return submitTask(task, request, { ledger, client: server, clock, ...change });
  }

  it('sends the request once, with its key, and stores the id', async () => {
    createIntent();
    const options: CreateOptions[] = [];
    const makeVideo: SubmitClient['makeVideo'] = (route, body, createOptions = {}) => {
      options.push(createOptions);
      return server.makeVideo(route, body, createOptions);
    };
    assert.deepEqual(await send({ client: { makeVideo } }), {
      kind: 'accepted',
      taskId: 'task-1',
    });
    assert.equal(ledger.get('a')?.taskId, 'task-1');
    assert.equal(readStatus(), 'running');
    assert.equal(options[0]?.idempotencyKey, 'a');
    assert.equal(options[0]?.requestId, ledger.get('a')?.requestId);
  });

  it('F67 stores the id as soon as the reply contains it', async () => {
    createIntent();
    let stored: string | undefined;
    const makeVideo: SubmitClient['makeVideo'] = (route, body, options = {}) =>
      server.makeVideo(route, body, {
        ...options,
        onCreated: (id) => {
          options.onCreated?.(id);
          stored = ledger.get('a')?.taskId;
        },
      });
    await send({ client: { makeVideo } });
    assert.equal(stored, 'task-1');
  });

  it('F70 does not send for a second click or in a second window', async () => {
    createIntent();
    const other = new Ledger(openDatabase({ path: database.path, migrations: ledgerMigrations }), {
      window: 'two',
    });
    const outcomes = await Promise.all([send(), send(), send({ ledger: other })]);
    assert.deepEqual(outcomes.map(({ kind }) => kind).sort(), ['accepted', 'taken', 'taken']);
    assert.deepEqual([...server.bills], [['a', 1]]);
    other.close();
  });

  it('neither sends nor changes a request whose route is unknown to this version', async () => {
    createIntent({ route: 'laterRoute' as VideoRouteId });
    await assert.rejects(send(), TypeError);
    assert.deepEqual([readStatus(), server.readIds.length], ['intent', 0]);
  });

  it('F92 does not send a request whose claim cannot be stored', async () => {
    createIntent();
    const full = createFaultyLedger(['claimSubmission']);
    await assert.rejects(send({ ledger: full.ledger }), { name: 'StorageError', kind: 'full' });
    assert.equal(server.bills.size, 0);
    assert.equal(readStatus(), 'intent');
  });

  const outcomes: Record<CreateOutcome, readonly [kind: string, status: string]> = {
    made: ['accepted', 'running'],
    refused: ['refused', 'refused'],
    'slow down': ['refused', 'refused'],
    'never sent': ['refused', 'refused'],
    'broken before': ['unknown', 'unknown'],
    'broken after': ['unknown', 'unknown'],
    'cut before id': ['unknown', 'unknown'],
    'cut behind id': ['unknown', 'unknown'],
    'id received, then cut': ['accepted', 'running'],
    'empty reply': ['unknown', 'unknown'],
    'timed out': ['unknown', 'unknown'],
  };

  for (const [created, [kind, expected]] of Object.entries(outcomes)) {
    it(`F33 F69 marks a request with the outcome "${created}" as ${expected}, and sends it once`, async () => {
      server.outcomes.push(created as CreateOutcome);
      createIntent();
      const outcome = await send();
      assert.equal(outcome.kind, kind);
      assert.equal(readStatus(), expected);
      assert.ok((server.bills.get('a') ?? 0) <= 1);
      assert.deepEqual(await send(), { kind: 'taken' });
      if (expected !== 'running') assert.match(ledger.get('a')?.problem?.message ?? '', /It failed/);
    });
  }

  for (const kind of [
    'quota',
    'rate-limited',
    'invalid-parameters',
    'authentication',
    'model-unavailable',
  ] as const) {
    it(`F33 marks a task as unknown after a 504 that is classified as ${kind}`, async () => {
      createIntent();
      const outcome = await send({
        client: { makeVideo: failWith({ kind, status: 504 }) },
      });
      assert.deepEqual([outcome.kind, readStatus()], ['unknown', 'unknown']);
    });
  }

  it('F68 stores the beginning of a reply that was cut', async () => {
    server.outcomes.push('cut behind id');
    createIntent();
    await send();
    assert.match(ledger.readHistory('a')?.unclearReply ?? '', /^\{"id":"task-1"/);
  });

  it('F68 stores at most 4 KiB of an unclear reply', async () => {
    createIntent();
    const body = 'x'.repeat(10_000);
    await send({ client: { makeVideo: failWith({ kind: 'malformed-reply', body }) } });
    assert.equal(ledger.readHistory('a')?.unclearReply?.length, 4096);
  });

  it('F69 marks a task as unknown if the user cancels its request after it was sent', async () => {
    createIntent();
    await send({ client: { makeVideo: failWith({ kind: 'cancelled' }) } });
    assert.equal(readStatus(), 'unknown');
  });

  it('accepts a task if the reply is cut after the id', async () => {
    createIntent();
    const makeVideo: SubmitClient['makeVideo'] = async (_route, _request, options) => {
      options?.onCreated?.('task-9');
      throw createGatewayError({ kind: 'server', reason: 'cut' });
    };
    const outcome = await send({ client: { makeVideo } });
    assert.deepEqual(outcome, { kind: 'accepted', taskId: 'task-9' });
    assert.equal(readStatus(), 'running');
  });

  it('F92 reports an id that cannot be stored, and stores it as soon as possible', async () => {
    createIntent();
    const full = createFaultyLedger(['accept']);
    const outcome = await send({ ledger: full.ledger });
    assert.ok(outcome.kind === 'accepted' && outcome.savedLater);
    assert.equal(outcome.taskId, 'task-1');
    assert.equal(readStatus(), 'submitting');
    await clock.advance(60_000);
    full.repair();
    await clock.advance(31_000);
    assert.equal(await outcome.savedLater, true);
    assert.equal(ledger.get('a')?.taskId, 'task-1');
    assert.equal(ledger.get('a')?.rawStatus, 'queued');
  });

  for (const monotonic of ['stops', 'goes on'] as const) {
    it(`F67 F92 retries to store an id although the machine sleeps for hours (the monotonic clock ${monotonic})`, async () => {
      createIntent();
      const full = createFaultyLedger(['accept']);
      const outcome = await send({ ledger: full.ledger });
      assert.ok(outcome.kind === 'accepted' && outcome.savedLater);
      await clock.advance(60_000);
      await clock.sleep(3 * 3_600_000, monotonic);
      await clock.advance(60_000);
      assert.equal(ledger.get('a')?.taskId, undefined);
      full.repair();
      await clock.advance(31_000);
      assert.equal(await outcome.savedLater, true);
      assert.equal(ledger.get('a')?.taskId, 'task-1');
    });
  }

  it('F92 gives up an id that could not be stored for an hour, and reports that', async () => {
    createIntent();
    const outcome = await send({ ledger: createFaultyLedger(['accept']).ledger });
    assert.ok(outcome.kind === 'accepted' && outcome.savedLater);
    await clock.advance(3_700_000);
    assert.equal(await outcome.savedLater, false);
    assert.equal(clock.timers, 0);
  });

  it('F105 stops retrying to store an id when the window closes', async () => {
    createIntent();
    const end = new AbortController();
    const outcome = await send({ ledger: createFaultyLedger(['accept']).ledger, windowEnd: end.signal });
    assert.ok(outcome.kind === 'accepted' && outcome.savedLater);
    end.abort();
    assert.equal(await outcome.savedLater, false);
    assert.equal(clock.timers, 0);
  });

  it('F92 stores an unknown outcome later if it cannot be stored at once', async () => {
    createIntent();
    server.outcomes.push('timed out');
    const full = createFaultyLedger(['markUnknown']);
    const outcome = await send({ ledger: full.ledger });
    assert.equal(outcome.kind, 'unknown');
    full.repair();
    await clock.advance(1_000);
    assert.equal(readStatus(), 'unknown');
  });

  it('stores the request id of the gateway for an accepted task', async () => {
    const makeVideo: SubmitClient['makeVideo'] = async (route, body, options) => ({
      ...(await server.makeVideo(route, body, options)),
      gatewayRequestId: 'theirs-1',
    });
    createIntent();
    await send({ client: { makeVideo } });
    assert.equal(ledger.get('a')?.gatewayRequestId, 'theirs-1');
  });

  it('uses the route of the task', async () => {
    for (const { id } of videoRoutes) {
      const task = ledger.create(createDraft(id, { route: id }));
      assert.ok(task);
      let routeId: string | undefined;
      const makeVideo: SubmitClient['makeVideo'] = (route, body, options) => {
        routeId = route.id;
        return server.makeVideo(route, body, options);
      };
      const outcome = await submitTask(task, request, { ledger, client: { makeVideo }, clock });
      assert.deepEqual([outcome.kind, routeId], ['accepted', id]);
    }
  });

  describe('a synchronous request', () => {
    const synchronous = { model: 'video-1', input: 'a lake' };

    function run(makeVideo: SubmitClient['makeVideo']) {
      const task = createIntent({ request: synchronous });
      return submitTask(task, synchronous, { ledger, client: { makeVideo }, clock });
    }

    it('ends with its result', async () => {
      const record = { status: 'completed', videos: [{ url: 'https://gateway.example/a.mp4' }] };
      assert.deepEqual(await run(async () => decodeTask(record)), { kind: 'ended' });
      assert.equal(readStatus(), 'completed');
      assert.equal(ledger.get('a')?.results.length, 1);
    });

    it('is completed without results, even if it has an id', async () => {
      await run(async (_route, _request, options) => {
        options?.onCreated?.('interaction-1');
        return decodeTask({ id: 'interaction-1', status: 'completed' });
      });
      assert.equal(readStatus(), 'completed');
    });

    it('becomes a running task if the gateway puts it in the background', async () => {
      const outcome = await run(async (_route, _request, options) => {
        options?.onCreated?.('interaction-1');
        return decodeTask({ id: 'interaction-1', status: 'in_progress' });
      });
      assert.deepEqual(outcome, { kind: 'accepted', taskId: 'interaction-1' });
      assert.equal(readStatus(), 'running');
    });
  });

  /** The ledger with methods that fail until it is repaired, as on a full disk. */
  function createFaultyLedger(methods: readonly (keyof Submission['ledger'])[]): {
    readonly ledger: Submission['ledger'];
    repair(): void;
  } {
    let full = true;
    const proxy = new Proxy(ledger, {
      get: (target, name) => {
        if (full && methods.some((method) => method === name)) {
          return () => {
            throw new StorageError('full', 'database or disk is full');
          };
        }
        const member = Reflect.get(target, name) as unknown;
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    return {
      ledger: proxy,
      repair: () => {
        full = false;
      },
    };
  }
});

function failWith(facts: Partial<GatewayErrorInit> & Pick<GatewayErrorInit, 'kind'>) {
  return () => Promise.reject(createGatewayError(facts));
}
