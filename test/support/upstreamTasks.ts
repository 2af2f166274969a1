import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningGateway, startGateway } from './gatewayProcess.ts';
import { sendCall } from './gatewayTaskCalls.ts';
import type { ScriptedUpstream } from './scriptedUpstream.ts';
import { type CreateReply, startReplyingUpstream } from './upstreamReplies.ts';
import type { TaskKind } from './upstreamTaskKinds.ts';

interface UpstreamSetup {
  /** The configuration of the upstream. */
  readonly config: object;
  /** The path of its address. */
  readonly path?: string;
  /** The environment of the gateway. */
  readonly env?: Readonly<Record<string, string>>;
  /** The spending limits of the gateway. */
  readonly limits?: readonly object[];
}

const asynchronous = { 'x-vendor-async': 'enable' };

/** A gateway in its own folder with one scripted upstream for tasks. Call `begin` and `end` around each test. */
export class UpstreamTasks {
  folder = '';
  /** Returns the replies of the upstream. */
  reply: CreateReply = () => [404, {}];
  #upstream: ScriptedUpstream | undefined;
  #gateway: RunningGateway | undefined;

  get upstream(): ScriptedUpstream {
    if (!this.#upstream) throw new Error('start it first');
    return this.#upstream;
  }

  get gateway(): RunningGateway {
    if (!this.#gateway) throw new Error('start it first');
    return this.#gateway;
  }

  begin(): void {
    this.folder = mkdtempSync(join(tmpdir(), 'gateway-upstream-tasks-'));
  }

  async end(): Promise<void> {
    await this.#gateway?.stop();
    await this.#upstream?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async start(kind: UpstreamSetup): Promise<void> {
    this.#upstream = await startReplyingUpstream((...parameters) => this.reply(...parameters));
    await this.restart(kind);
  }

  /** Restarts the gateway with its stored state. */
  async restart({ config, path = '', env = {}, limits }: UpstreamSetup): Promise<void> {
    const { origin } = new URL(this.upstream.baseUrl);
    this.#gateway = await startGateway({
      demo: false,
      tasks: join(this.folder, 'tasks.sqlite'),
      config: {
        upstreams: [{ name: 'one', ...config, baseUrl: origin + path }],
        ...(limits && { limits }),
      },
      env,
    });
  }

  readonly create = ({ createPath: path, body }: TaskKind, headers: Readonly<Record<string, string>> = {}) =>
    sendCall(this.gateway, { path, body, headers: { ...asynchronous, ...headers } });

  readonly read = (id: string) => sendCall(this.gateway, { path: `/v1/tasks/${id}` });

  /** Counts the requests to the upstream. */
  readonly countSent = (method: string, path: string) =>
    this.upstream.requests.filter((each) => each.method === method && each.path === path).length;

  /** Reads until the task has this status: the gateway polls the upstream at most once a second. */
  readonly readUntilStatus = async (id: string, status: string) => {
    for (;;) {
      const { json } = await this.read(id);
      if (json.status === status) return json;
      assert.ok(['queued', 'running'].includes(json.status), JSON.stringify(json));
    }
  };
}
