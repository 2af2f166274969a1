import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { GatewayClient } from '../../src/client/gatewayClient.ts';
import { catchFailure } from '../support/faultServerCalls.ts';
import { type GatewayStart, type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import {
  createClient,
  createVideoInteraction,
  createVideoSynthesis,
  hasEnded,
  readUntil,
  sendCall,
} from '../support/gatewayTaskCalls.ts';
import { damages, overwrite, pageSize, readPage } from '../support/pageDamage.ts';
import { itOnSmallDisk, SmallDisk } from '../support/smallDisk.ts';
import { startReplyingUpstream } from '../support/upstreamReplies.ts';

describe('the task file of the local gateway', function () {
  this.timeout(120_000);
  let folder: string;
  let tasks: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-task-file-'));
    tasks = join(folder, 'deep', 'tasks.sqlite');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function withGateway<T>(
    work: (client: GatewayClient, gateway: RunningGateway) => Promise<T>,
    start: GatewayStart = { tasks },
  ): Promise<T> {
    const gateway = await startGateway(start);
    const client = createClient(gateway);
    try {
      return await work(client, gateway);
    } finally {
      await client.close();
      await gateway.stop();
    }
  }

  it('is created with the first task, for this user only', async () => {
    await withGateway(async (client) => {
      await client.listModels();
      assert.equal(existsSync(dirname(tasks)), false);
      await client.videoSynthesis(createVideoSynthesis('A cat'));
      assert.equal(statSync(dirname(tasks)).mode & 0o777, 0o700);
      assert.equal(statSync(tasks).mode & 0o777, 0o600);
    });
  });

  it('F71 F72 outlives the gateway, and its tasks continue after a restart', async () => {
    const [id, endless] = await withGateway((client) =>
      Promise.all(
        ['queue for 0 seconds, take 1 second', 'never finish'].map(
          async (prompt) => (await client.startInteraction(createVideoInteraction(prompt))).id,
        ),
      ),
    );
    await withGateway(async (client, gateway) => {
      assert.equal((await client.readTask(endless ?? '')).status, 'running');
      const { status, results, progress } = await readUntil(client, id ?? '', hasEnded);
      assert.deepEqual([status, progress], ['completed', 100]);
      assert.ok(results[0]?.url.startsWith(gateway.baseUrl));
      assert.equal((await sendCall(gateway, { path: results[0]?.url ?? '' })).status, 200);
    });
  });

  it('F84 is shared by several gateways, which all list, cancel and delete its tasks', async () => {
    await withGateway(async (first) => {
      await withGateway(async (second) => {
        const { id } = await first.startInteraction(createVideoInteraction('never finish'));
        assert.equal((await second.listTasks(5))[0]?.id, id);
        await second.cancelTask(id);
        assert.equal((await first.readTask(id)).failedAs, 'cancelled');
        await first.deleteTask(id);
        assert.equal((await catchFailure(second.readTask(id))).status, 404);

        const clients = [first, second, first, second];
        const created = await Promise.all(clients.map((client) => createTasks(client, 25)));
        const all = new Set(created.flat());
        assert.equal(all.size, 100);
        for (const client of [first, second]) {
          const listed = (await client.listTasks(200)).map((task) => task.id);
          assert.deepEqual(new Set(listed), all);
        }
      });
    });
  });

  it('F69 F70 F84 has one task per idempotency key, also through several gateways', async () => {
    const body = createVideoSynthesis('A cat');
    const path = '/api/v1/services/aigc/video-generation/video-synthesis';
    const headers = { 'x-vendor-async': 'enable', 'idempotency-key': 'k' };
    await withGateway(async (client, one) => {
      await withGateway(async (_client, two) => {
        const gateways = [one, two, one, two, one, two];
        const replies = await Promise.all(
          gateways.map((gateway) => sendCall(gateway, { path, body, headers })),
        );
        assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
        assert.equal(new Set(replies.map(({ json }) => json.id)).size, 1);
        assert.equal((await client.listTasks(10)).length, 1);
      });
    });
  });

  it('F91 contains every task whose id was returned, and only valid tasks, whenever the gateway is killed', async () => {
    const returnedIds = new Set<string>();
    for (let run = 0; run < 6; run++) {
      const gateway = await startGateway({ tasks });
      const client = createClient(gateway);
      const killAfter = 1 + 7 * run;
      let createdCount = 0;
      const makers = Array.from({ length: 3 }, async () => {
        for (;;) {
          const { id } = await client.videoSynthesis(createVideoSynthesis('A cat'));
          returnedIds.add(id);
          createdCount += 1;
          if (createdCount === killAfter) gateway.process.kill('SIGKILL');
        }
      });
      await Promise.allSettled(makers);
      await client.close();
    }
    await withGateway(async (client) => {
      const listed = await client.listTasks(10_000);
      const ids = new Set(listed.map(({ id }) => id));
      assert.equal(ids.size, listed.length);
      assert.deepEqual(
        [...returnedIds].filter((id) => !ids.has(id)),
        [],
      );
      // The file may also have tasks whose requests were in flight when the gateway was killed.
      assert.ok(ids.size <= returnedIds.size + 30);
      assert.ok(listed.every(({ status, raw }) => status && (raw as { prompt: string }).prompt === 'A cat'));
    });
    assert.deepEqual(
      readdirSync(dirname(tasks)).filter((name) => name.startsWith('corrupt')),
      [],
    );
  });

  it('F93 is needed only for tasks: if it is unusable, the gateway serves everything else and returns an error for tasks', async () => {
    mkdirSync(tasks, { recursive: true });
    await withGateway(async (client, gateway) => {
      assert.ok((await client.listModels()).some(({ id }) => id === 'demo/video'));
      const waiting = { store: false, response_format: { type: 'video' } };
      const prompt = 'queue for 0 seconds, take 0.1 seconds';
      const { outcome } = await client.interactions(createVideoInteraction(prompt, waiting), () => {});
      assert.equal(outcome.kind, 'complete');
      const refused = await Promise.all([
        catchFailure(client.startInteraction(createVideoInteraction('A cat'))),
        catchFailure(client.videoSynthesis(createVideoSynthesis('A cat'))),
        catchFailure(client.listTasks(5)),
        catchFailure(client.readTask('task_1')),
      ]);
      // After a 5xx a client could not know whether a billed task was made.
      assert.deepEqual(
        refused.map(({ status }) => status),
        [424, 424, 503, 503],
      );
      for (const { gatewayMessage } of refused) {
        assert.match(gatewayMessage ?? '', /^The local gateway cannot store tasks now: /);
        assert.ok(!gatewayMessage?.includes(folder));
      }
      assert.match(gateway.stderr(), /tasks cannot be stored/);
    });
  });

  it('F93 is created later if its folder is not writable at first', async () => {
    writeFileSync(dirname(tasks), '');
    await withGateway(async (client) => {
      const { status } = await catchFailure(client.videoSynthesis(createVideoSynthesis('A cat')));
      assert.equal(status, 424);
      rmSync(dirname(tasks));
      await client.videoSynthesis(createVideoSynthesis('A cat'));
    });
  });

  itOnSmallDisk(
    'F92 is read-only on a full disk, with an error, and is written once there is space',
    async () => {
      const disk = SmallDisk.mount(4);
      assert.ok(disk);
      const file = join(disk.path, 'tasks.sqlite');
      try {
        const created = await withGateway((client) => createTasks(client, 5), { tasks: file });
        disk.fill();
        await withGateway(
          async (client, gateway) => {
            assert.equal((await client.listTasks(10)).length, created.length);
            const { gatewayMessage } = await catchFailure(
              client.videoSynthesis(createVideoSynthesis('A cat')),
            );
            assert.match(gatewayMessage ?? '', /the disk is full/);
            assert.match(gateway.stderr(), /is read-only \(full\)/);
            disk.free();
          },
          { tasks: file },
        );
        await withGateway((client) => createTasks(client, 1), { tasks: file });
      } finally {
        disk.remove();
      }
    },
  );

  itOnSmallDisk(
    'F92 gets a task later if the disk becomes full during its creation, and the caller gets an error',
    async () => {
      const disk = SmallDisk.mount(4);
      assert.ok(disk);
      const upstream = await startReplyingUpstream(() => {
        disk.fill();
        return [200, { id: 'resp_1', object: 'response', status: 'queued', metadata: 'x'.repeat(200_000) }];
      });
      const config = { upstreams: [{ name: 'one', kind: 'responses', baseUrl: upstream.baseUrl }] };
      try {
        await withGateway(
          async (client, gateway) => {
            const body = { model: 'm', input: 'Hi', background: true };
            const { status, json } = await sendCall(gateway, { path: '/v1/responses', body });
            assert.equal(status, 500);
            assert.match(json.error.message, /created the task resp_1, .* the disk is full/);
            disk.free();
            const upstreamId = async () => (await client.listTasks(10))[0]?.raw as { upstream_id?: string };
            while ((await upstreamId()).upstream_id !== 'resp_1');
          },
          { tasks: join(disk.path, 'tasks.sqlite'), demo: false, config },
        );
      } finally {
        await upstream.close();
        disk.remove();
      }
    },
  );

  it('F95 is set aside when it is corrupt, and never deleted', async () => {
    mkdirSync(dirname(tasks));
    writeFileSync(tasks, 'no database '.repeat(1_000));
    await withGateway(async (client, gateway) => {
      const { id } = await client.videoSynthesis(createVideoSynthesis('A cat'));
      assert.equal((await client.readTask(id)).status, 'running');
      assert.match(gateway.stderr(), /was damaged; it was moved to .*corrupt-/);
    });
    const setAside = readdirSync(dirname(tasks)).find((name) => name.startsWith('corrupt'));
    assert.equal(statSync(join(dirname(tasks), setAside ?? '')).size, 12_000);
  });

  it('F95 is repaired by the next call when it becomes corrupt, and the log reports how many tasks were saved', async () => {
    const created = await withGateway((client) => createTasks(client, 40));
    const bytes = readFileSync(tasks);
    const pages = Array.from({ length: bytes.length / pageSize }, (_, number) => number);
    const isLeaf = (number: number) => readPage(bytes, number)[0] === 13;
    const page = pages.find((number) => isLeaf(number) && readPage(bytes, number).includes('A cat')) ?? 0;
    await withGateway(async (first, gateway) => {
      await withGateway(async (second, other) => {
        await catchFailure(first.readTask('task_none'));
        // This makes the first gateway's cache of the file outdated.
        await createTasks(second, 1);
        overwrite(tasks, damages['random bytes']?.(bytes, page) ?? bytes);
        const stored = await first.listTasks(100);
        assert.equal(stored.length, created.length + 1);
        // Tasks whose rows were lost are still known from other data.
        const unknown = stored.filter(({ rawStatus }) => rawStatus === 'unknown').length;
        assert.ok(unknown > 0 && unknown < 20, String(unknown));
        assert.match(gateway.stderr(), /moved to .*\(tasks saved: 41, lost: 0\)/);
        const [one] = await createTasks(second, 1);
        const [two] = await createTasks(first, 1);
        for (const client of [first, second]) {
          assert.deepEqual(
            (await client.listTasks(2)).map(({ id }) => id),
            [two, one],
          );
        }
        assert.doesNotMatch(other.stderr(), /was damaged/);
      });
    });
  });

  it('F82 retains all tasks when the clock is eight days ahead during creation', async () => {
    const ahead = join(folder, 'ahead');
    writeFileSync(ahead, '0');
    const clock = `import { readFileSync } from 'node:fs';
      const now = Date.now;
      Date.now = () => now() + Number(readFileSync(${JSON.stringify(ahead)}, 'utf8'));`;
    const start = {
      tasks,
      env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(clock)}` },
    };
    const set = (days: number) => writeFileSync(ahead, String(days * 24 * 60 * 60 * 1000));
    await withGateway(async (client) => {
      const early = await createTasks(client, 6);
      set(8);
      const created = [...early, ...(await createTasks(client, 1))];
      assert.equal((await client.listTasks(20)).length, 7);
      set(0);
      assert.deepEqual(
        (await client.listTasks(20)).map(({ id }) => id),
        created.toReversed(),
      );
    }, start);
    set(365);
    await withGateway((client) => createTasks(client, 1), start);
    set(0);
    await withGateway(async (client) => assert.equal((await client.listTasks(20)).length, 8), start);
  });

  it('still contains the tasks of an upstream that is no longer configured', async () => {
    const id = await withGateway(async (client) => {
      const created = await client.startInteraction(
        createVideoInteraction('queue for 0 seconds, take 0.1 seconds'),
      );
      await readUntil(client, created.id, hasEnded);
      return created.id;
    });
    const config = {
      upstreams: [{ name: 'one', kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1' }],
    };
    await withGateway(
      async (client, gateway) => {
        assert.equal((await client.readTask(id)).status, 'completed');
        const { status, json } = await sendCall(gateway, { path: `/v1/tasks/${id}/content` });
        assert.deepEqual([status, json.error.code], [503, 'upstream_not_served']);
        const { gatewayMessage } = await catchFailure(
          client.startInteraction(createVideoInteraction('A cat', { model: 'x' })),
        );
        assert.equal(gatewayMessage, '"x" cannot make videos. No model of this local gateway can.');
      },
      { tasks, demo: false, config },
    );
  });
});

async function createTasks(client: GatewayClient, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push((await client.videoSynthesis(createVideoSynthesis('A cat'))).id);
  return ids;
}
