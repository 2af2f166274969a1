import type { CreatedTask, CreateOptions } from '../../src/client/types.ts';
import type { SearchClient } from '../../src/tasks/polling/searchTask.ts';
import type { SubmitClient } from '../../src/tasks/submitTask.ts';
import type { Model } from '../../src/wire/apis/models/modelList.ts';
import { decodeTask } from '../../src/wire/apis/taskRecord/decodeTask.ts';
import type { TaskSnapshot } from '../../src/wire/apis/taskRecord/snapshot.ts';
import { explain } from '../../src/wire/explanations/explanation.ts';
import { GatewayError, type GatewayErrorInit } from '../../src/wire/failures/gatewayError.ts';

export interface ServedTask {
  readonly id: string;
  readonly key: string;
  readonly model: string;
  readonly prompt: string;
  readonly createdAt: number;
  rawStatus: string;
  results: readonly string[];
}

/** The outcome of a request that makes a task. */
export type CreateOutcome =
  | 'made'
  /** The gateway replied with an error and made no task. */
  | 'refused'
  | 'slow down'
  /** The gateway was not reached. */
  | 'never sent'
  /** An error of the gateway, before or after the task was made. */
  | 'broken before'
  | 'broken after'
  /** The reply was cut before the id, or after it. */
  | 'cut before id'
  | 'cut behind id'
  /** The reply broke off after the client had reported the id. */
  | 'id received, then cut'
  | 'empty reply'
  /** No reply in time; a task was made anyway. */
  | 'timed out';

export function createGatewayError(
  facts: Partial<GatewayErrorInit> & Pick<GatewayErrorInit, 'kind'>,
): GatewayError {
  return new GatewayError({
    explanation: explain('not-sent', { cause: `It failed: ${facts.kind}.` }),
    requestedAt: new Date(0),
    requestId: 'request-of-test',
    wasSent: true,
    ...facts,
  });
}

/** A gateway in memory that counts the billed tasks. */
export class TestGateway implements SearchClient, SubmitClient {
  readonly #now: () => number;
  readonly tasks = new Map<string, ServedTask>();
  /** Tasks made for each key. */
  readonly bills = new Map<string, number>();
  /** Outcomes of the next requests that make a task; `made` when the list is empty. */
  readonly outcomes: CreateOutcome[] = [];
  /** Each of the next reads calls one of these functions, which return a snapshot or throw. */
  readonly replies: ((id: string) => TaskSnapshot)[] = [];
  /** If set, every further read calls it. */
  reply: ((id: string) => TaskSnapshot) | undefined;
  /** The ids of the reads, in order; `*` is a page of the list. */
  readonly readIds: string[] = [];
  readonly readTimes: number[] = [];
  maxInFlight = 0;
  #inFlight = 0;
  /** The delay of a reply. */
  delay: () => Promise<void> = () => Promise.resolve();

  constructor(now: () => number) {
    this.#now = now;
  }

  makeVideo(_route: unknown, request: object, options: CreateOptions = {}): Promise<CreatedTask> {
    return this.#create(request, options);
  }

  async readTask(id: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<TaskSnapshot> {
    return this.#reply(id, signal, () => {
      const reply = this.replies.shift() ?? this.reply;
      if (reply) return reply(id);
      const task = this.tasks.get(id);
      if (!task) throw createGatewayError({ kind: 'invalid-parameters', status: 404 });
      return decodeTask(createRecord(task));
    });
  }

  /** The number of requests for the model list. */
  modelListReads = 0;
  /** If set, throws in place of returning the model list. */
  refuseModels: (() => never) | undefined;

  async listModels(): Promise<readonly Model[]> {
    this.modelListReads += 1;
    this.refuseModels?.();
    return [{ id: 'video-1', owner: '' }];
  }

  async listTaskPage(
    query: Readonly<Record<string, string>>,
    { signal }: { readonly signal?: AbortSignal } = {},
  ) {
    return this.#reply('*', signal, () => {
      const all = [...this.tasks.values()].toReversed();
      const from = Number(query.offset ?? 0);
      const to = from + Number(query.limit);
      const tasks = all.slice(from, to).map((task) => decodeTask(createRecord(task)));
      return { tasks, ...(to < all.length && { next: { offset: String(to) } }) };
    });
  }

  /** Creates a task, also without a request of ours. */
  createTask(key: string, facts: Partial<ServedTask> = {}): ServedTask {
    this.bills.set(key, (this.bills.get(key) ?? 0) + 1);
    const task = {
      id: `task-${this.tasks.size + 1}`,
      key,
      model: 'video-1',
      prompt: 'a lake',
      rawStatus: 'queued',
      results: [],
      createdAt: this.#now(),
      ...facts,
    };
    this.tasks.set(task.id, task);
    return task;
  }

  endTask(
    id: string,
    rawStatus = 'completed',
    results: readonly string[] = ['https://gateway.example/a.mp4'],
  ): void {
    const task = this.tasks.get(id);
    if (task) Object.assign(task, { rawStatus, results: rawStatus === 'completed' ? results : [] });
  }

  async #create(request: object, { idempotencyKey = '', onCreated }: CreateOptions): Promise<CreatedTask> {
    const outcome = this.outcomes.shift() ?? 'made';
    await this.delay();
    if (outcome === 'never sent')
      throw createGatewayError({ kind: 'unreachable', reason: 'refused', wasSent: false });
    if (outcome === 'refused') throw createGatewayError({ kind: 'invalid-parameters', status: 400 });
    if (outcome === 'slow down')
      throw createGatewayError({ kind: 'rate-limited', status: 429, retryAfterMs: 10_000 });
    if (outcome === 'broken before') throw createGatewayError({ kind: 'server', status: 502 });
    const { model = 'video-1', input = 'a lake' } = request as { model?: string; input?: string };
    const task = this.createTask(idempotencyKey, { model, prompt: input });
    const record = createRecord(task);
    const body = JSON.stringify(record);
    switch (outcome) {
      case 'broken after':
        throw createGatewayError({ kind: 'server', status: 500, body: '{"error":{"message":"internal"}}' });
      case 'cut before id':
        throw createGatewayError({ kind: 'server', reason: 'cut', body: body.slice(0, 6) });
      case 'cut behind id':
        throw createGatewayError({
          kind: 'server',
          reason: 'cut',
          body: body.slice(0, body.indexOf(task.id) + 20),
        });
      case 'empty reply':
        throw createGatewayError({ kind: 'malformed-reply', body: '' });
      case 'timed out':
        throw createGatewayError({ kind: 'unreachable', reason: 'first-byte-timeout' });
    }
    onCreated?.(task.id);
    if (outcome === 'id received, then cut') throw createGatewayError({ kind: 'server', reason: 'cut' });
    return { ...decodeTask(record), id: task.id };
  }

  async #reply<Value>(id: string, signal: AbortSignal | undefined, createReply: () => Value): Promise<Value> {
    this.readIds.push(id);
    this.readTimes.push(this.#now());
    this.#inFlight += 1;
    this.maxInFlight = Math.max(this.maxInFlight, this.#inFlight);
    try {
      await this.delay();
      if (signal?.aborted) throw createGatewayError({ kind: 'cancelled' });
      return createReply();
    } finally {
      this.#inFlight -= 1;
    }
  }
}

export function createRecord({ id, model, prompt, rawStatus: word, createdAt, results }: ServedTask): object {
  return {
    id,
    status: word,
    model,
    prompt,
    created_at: new Date(createdAt).toISOString(),
    ...(results.length > 0 && { videos: results.map((url) => ({ url })) }),
  };
}
