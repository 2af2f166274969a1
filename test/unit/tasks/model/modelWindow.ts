import { pause } from '../../../../src/base/node/clock.ts';
import type { CreatedTask, CreateOptions } from '../../../../src/client/types.ts';
import type { PollClient } from '../../../../src/tasks/polling/poller.ts';
import type { SubmitClient } from '../../../../src/tasks/submitTask.ts';
import type { TestClock } from '../../../support/testClock.ts';
import type { CreateOutcome } from '../../../support/testGateway.ts';
import { gateway, TestWindow } from '../../../support/testWindow.ts';
import { failWhenDead, WindowLife } from '../../../support/windowLife.ts';
import type { ModelGateway, TaskCourse } from './modelGateway.ts';

/** The outcome of a request, and the course of the task that it makes. */
export interface CreatePlan {
  readonly outcome: CreateOutcome;
  readonly delayMs: number;
  readonly course: TaskCourse;
}

export interface ModelWindowOptions {
  readonly file: string;
  readonly name: string;
  readonly clock: TestClock;
  readonly server: ModelGateway;
  readonly disk: { readonly full: boolean };
  readonly random: () => number;
}

const latencyMs = 50;

/**
 * A window that can die before and after each transaction, before a request is sent, and before its reply
 * arrives. Its later actions have no effect.
 */
export class ModelWindow extends TestWindow {
  readonly #server: ModelGateway;
  readonly #disk: ModelWindowOptions['disk'];
  readonly #life: WindowLife;
  /** The ids that arrived while the window was alive. */
  readonly ids: string[] = [];
  /** The ids that the ledger did not contain immediately, although it could have stored them. */
  readonly lateIds: string[] = [];
  /** The number of requests whose reply has not arrived. */
  awaited = 0;

  constructor({ server, disk, ...options }: ModelWindowOptions) {
    const life: WindowLife = new WindowLife(() => this.clock.die());
    super({
      ...options,
      pollOptions: { timeoutMs: 120_000 },
      getClient: async () => this.reader,
      prepare: (database) => failWhenDead(database, life, disk),
    });
    this.#server = server;
    this.#disk = disk;
    this.#life = life;
  }

  get alive(): boolean {
    return this.#life.isAlive;
  }

  get isLeader(): boolean {
    const last = this.events.findLast((event) => event.type === 'leading');
    return last?.type === 'leading' && last.isLeader;
  }

  /** Whether the window reports that the gateway refuses the credential. */
  get isPaused(): boolean {
    return this.events.findLast(({ type }) => type === 'paused' || type === 'resumed')?.type === 'paused';
  }

  dieAfter(steps: number): void {
    this.#life.dieAfter(steps);
  }

  kill(): void {
    this.#life.die();
  }

  createSubmitClient(sending: CreatePlan): SubmitClient {
    return { makeVideo: (_, request, options = {}) => this.#sendRequest(request, options, sending) };
  }

  get reader(): PollClient {
    return {
      readTask: async (...args) => this.#reply(this.#server.readTask(...args)),
      listTaskPage: async (...args) => this.#reply(this.#server.listTaskPage(...args)),
      listModels: async () => this.#reply(this.#server.listModels()),
    };
  }

  async #sendRequest(
    request: object,
    options: CreateOptions,
    { outcome, delayMs, course }: CreatePlan,
  ): Promise<CreatedTask> {
    if (!this.#life.step()) return never();
    this.#server.outcomes.push(outcome);
    if (options.idempotencyKey !== undefined) this.#server.planCourse(options.idempotencyKey, course);
    let createdId: string | undefined;
    const onCreated = (id: string) => {
      createdId = id;
    };
    const reply = this.#server.makeVideo(undefined, request, { ...options, onCreated });
    await this.#reply(reply, delayMs);
    if (createdId !== undefined) {
      this.ids.push(createdId);
      options.onCreated?.(createdId);
      if (this.alive && !this.#disk.full && !this.ledger.find(gateway, createdId))
        this.lateIds.push(createdId);
    }
    return reply;
  }

  /** Settles after a delay, and never in a dead window. */
  async #reply<Value>(reply: Promise<Value>, delayMs = latencyMs): Promise<Value> {
    const [settled] = await Promise.allSettled([reply]);
    this.awaited += 1;
    await pause(this.clock, delayMs);
    this.awaited -= 1;
    if (!this.#life.step()) return never();
    if (settled.status === 'rejected') throw settled.reason;
    return settled.value;
  }
}

function never(): Promise<never> {
  return new Promise(() => {});
}
