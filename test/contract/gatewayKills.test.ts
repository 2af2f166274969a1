import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { sendCall } from '../support/gatewayTaskCalls.ts';
import { longRuns } from '../support/longRuns.ts';
import '../support/seed.ts';

const victims = ['upstream', 'gateway', 'client'] as const;

/** A process to kill, and the time after the restart of the previous one. */
interface Kill {
  readonly victim: (typeof victims)[number];
  /** The number of orders that the upstream processes before the kill. */
  readonly afterCreated: number;
  /** The delay after these orders, in milliseconds. */
  readonly afterMs: number;
}

const anyKill: fc.Arbitrary<Kill> = fc.record({
  victim: fc.constantFrom(...victims),
  afterCreated: fc.nat(6),
  afterMs: fc.nat(40),
});

/** A gateway between an upstream and a client, each in a separate process that may be killed. */
class World {
  readonly folder = mkdtempSync(join(tmpdir(), 'gateway-kills-'));
  readonly #createdFile = join(this.folder, 'made');
  readonly #reportedIdsFile = join(this.folder, 'reportedIds');
  #upstream: ChildProcess | undefined;
  #upstreamPort = 0;
  #client: ChildProcess | undefined;
  #clients = 0;
  #gateway: RunningGateway | undefined;

  get gateway(): RunningGateway {
    assert.ok(this.#gateway);
    return this.#gateway;
  }

  get ports() {
    return { gateway: Number(new URL(this.gateway.baseUrl).port), upstream: this.#upstreamPort };
  }

  /** The responses that the upstream made: the order of each id. */
  get created(): ReadonlyMap<string, string> {
    return readPairs(this.#createdFile);
  }

  /** The responses that clients received: the order of each id. */
  get reportedIds(): ReadonlyMap<string, string> {
    return readPairs(this.#reportedIdsFile);
  }

  async start(): Promise<void> {
    await this.startUpstream();
    await this.startGateway();
    await this.startClient();
  }

  async startUpstream(): Promise<void> {
    const [child, line] = await run('killedUpstream.ts', [String(this.#upstreamPort), this.#createdFile]);
    this.#upstream = child;
    this.#upstreamPort = (JSON.parse(line) as { port: number }).port;
  }

  async startGateway(): Promise<void> {
    const baseUrl = `http://127.0.0.1:${this.#upstreamPort}/v1`;
    const formats = ['chatCompletions', 'responses'];
    this.#gateway = await startGateway({
      demo: false,
      state: join(this.folder, 'state'),
      tasks: join(this.folder, 'tasks.sqlite'),
      port: this.#gateway ? this.ports.gateway : 0,
      config: {
        upstreams: [{ name: 'one', kind: 'openai-compatible', formats, models: ['m'], baseUrl }],
      },
    });
  }

  async startClient(): Promise<void> {
    const { baseUrl, credential } = this.gateway;
    [this.#client] = await run('killedClient.ts', [
      baseUrl,
      credential,
      String(this.#clients++),
      this.#reportedIdsFile,
    ]);
  }

  async kill(victim: Kill['victim']): Promise<void> {
    const child = { upstream: this.#upstream, gateway: this.#gateway?.process, client: this.#client }[victim];
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async startAgain(victim: Kill['victim']): Promise<void> {
    if (victim === 'upstream') await this.startUpstream();
    else if (victim === 'gateway') await this.startGateway();
    else await this.startClient();
  }

  async end(): Promise<void> {
    for (const victim of victims) await this.kill(victim);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function readPairs(file: string): ReadonlyMap<string, string> {
  if (!existsSync(file)) return new Map();
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return new Map(lines.map((line) => line.split(' ').slice(0, 2) as [string, string]));
}

/** Runs a file of the support folder, and resolves with the first line that it prints. */
async function run(file: string, args: readonly string[]): Promise<[ChildProcess, string]> {
  const node = 'node_modules/node/bin/node';
  const child = spawn(node, [join('test/support', file), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  return [child, String(line)];
}

/** The test closes its own connections, so that they do not count as leaks. */
const closing = { connection: 'close' };

interface ListedTask {
  readonly id: string;
  readonly prompt: string;
  readonly status: string;
  readonly upstream_id: string | null;
}

async function listTasks(gateway: RunningGateway): Promise<readonly ListedTask[]> {
  const all: ListedTask[] = [];
  for (let cursor = ''; ; ) {
    const { json } = await sendCall(gateway, { path: `/v1/tasks?limit=100${cursor}`, headers: closing });
    all.push(...json.data);
    if (!json.has_more) return all;
    cursor = `&cursor=${json.next_cursor}`;
  }
}

const states: Readonly<Record<string, string>> = { '01': 'established', '08': 'half closed' };

/** The connections to or from a port that are not closed. */
function listOpenConnections(port: number): readonly string[] {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1);
  return lines.flatMap((line) => {
    const [, local = '', remote = '', state = ''] = line.trim().split(/\s+/);
    const isOfPort = local.endsWith(`:${hex}`) || remote.endsWith(`:${hex}`);
    return isOfPort && states[state] ? [`${local} ${remote} ${states[state]}`] : [];
  });
}

async function waitUntilNone(listOpen: () => readonly string[]): Promise<void> {
  while (listOpen().length > 0) await wait(20);
}

describe('the local gateway, an upstream and a client, killed at any moment', function () {
  this.timeout(longRuns ? 1_200_000 : 300_000);

  it('F66 F67 F91 list every task and only created tasks, create each task once, and close all connections', async () => {
    const check = async (kills: readonly Kill[]) => {
      const world = new World();
      try {
        await world.start();
        for (const { victim, afterCreated, afterMs } of kills) {
          const enough = world.created.size + afterCreated;
          while (world.created.size < enough) await wait(2);
          await wait(afterMs);
          await world.kill(victim);
          await world.startAgain(victim);
        }
        await world.kill('client');
        await checkTasks(world);
        await checkConnections(world);
      } finally {
        await world.end();
      }
    };
    const schedules = fc.array(anyKill, { minLength: 6, maxLength: 10 });
    await fc.assert(fc.asyncProperty(schedules, check), { numRuns: longRuns ? 30 : 1, endOnFailure: true });
  });

  async function checkTasks(world: World): Promise<void> {
    // Running orders continue without their caller, so later reads include the results of earlier ones.
    const { created: before, reportedIds } = world;
    const tasks = await listTasks(world.gateway);
    const { created } = world;
    const orders = [...created.values()];
    assert.equal(new Set(orders).size, orders.length, 'no order was processed twice');
    const byId = new Map(tasks.map((task) => [task.id, task]));
    for (const [id, order] of reportedIds)
      assert.equal(byId.get(id)?.prompt, order, 'it was reported to a client');
    const prompts = new Set(tasks.map(({ prompt }) => prompt));
    for (const order of before.values()) assert.ok(prompts.has(order), `${order} was created`);
    for (const { prompt, status, upstream_id } of tasks) {
      assert.equal(upstream_id === null, status === 'unknown', prompt);
      if (upstream_id !== null) assert.equal(created.get(upstream_id), prompt, 'it was created');
    }
    for (const id of reportedIds.keys()) await waitUntilCompleted(world.gateway, id);
  }

  async function waitUntilCompleted(gateway: RunningGateway, id: string): Promise<void> {
    for (;;) {
      const { json } = await sendCall(gateway, { path: `/v1/tasks/${id}`, headers: closing });
      if (json.status === 'completed') return;
      assert.ok(['queued', 'running'].includes(json.status), json.status);
    }
  }

  async function checkConnections(world: World): Promise<void> {
    if (!existsSync('/proc/net/tcp')) return;
    const { gateway, upstream } = world.ports;
    const { pid } = world.gateway.process;
    await waitUntilNone(() => listOpenConnections(gateway));
    await world.kill('upstream');
    await waitUntilNone(() => listOpenConnections(upstream));
    assert.ok(pid !== undefined && existsSync(`/proc/${pid}`), 'the gateway continues');
  }
});
