import type { Model } from '../../../../src/wire/apis/models/modelList.ts';
import { decodeTask } from '../../../../src/wire/apis/taskRecord/decodeTask.ts';
import type { TaskSnapshot } from '../../../../src/wire/apis/taskRecord/snapshot.ts';
import type { TestClock } from '../../../support/testClock.ts';
import {
  createGatewayError,
  createRecord,
  type ServedTask,
  TestGateway,
} from '../../../support/testGateway.ts';

/** How the gateway replies to all requests for the state of a task. */
export type GatewayHealth =
  | 'well'
  | 'broken'
  | 'slow down'
  | 'come back later'
  | 'refuses the credential'
  | 'unreachable';

/** The course of a task after it is created. */
export interface TaskCourse {
  /** The time before the gateway shows the task. */
  readonly hiddenMs: number;
  readonly runsMs: number;
  /** The state word while the task runs. */
  readonly word: string;
  /** The final state word. The gateway drops a `forgotten` task; a `never` task does not end. */
  readonly end: 'completed' | 'failed' | 'not_found' | 'forgotten' | 'never';
}

/** A gateway whose tasks follow the test's clock. */
export class ModelGateway extends TestGateway {
  readonly #clock: TestClock;
  /** By the key of the request. */
  readonly #plans = new Map<string, TaskCourse>();
  readonly #courses = new Map<string, { readonly course: TaskCourse; readonly begunAt: number }>();
  health: GatewayHealth = 'well';

  constructor(clock: TestClock) {
    super(() => clock.now());
    this.#clock = clock;
    this.reply = (id) => this.#createReply(id);
  }

  /** Sets the course of the task that a request with this key creates. */
  planCourse(key: string, course: TaskCourse): void {
    this.#plans.set(key, course);
  }

  override createTask(key: string, facts: Partial<ServedTask> = {}): ServedTask {
    const task = super.createTask(key, facts);
    const course = this.#plans.get(key);
    if (course) this.#courses.set(task.id, { course, begunAt: this.#clock.monotonic() });
    return task;
  }

  cancel(id: string): void {
    if (this.#hasEnded(id)) return;
    this.endTask(id, 'cancelled');
    this.#courses.delete(id);
  }

  #hasEnded(id: string): boolean {
    const begun = this.#courses.get(id);
    if (!begun || begun.course.end === 'never') return false;
    const { hiddenMs, runsMs } = begun.course;
    return this.#clock.monotonic() - begun.begunAt >= Math.max(hiddenMs, runsMs);
  }

  /** The current state word of a task; `undefined` before it is shown, or after it is forgotten. */
  getRawStatus(id: string): string | undefined {
    const task = this.tasks.get(id);
    const begun = this.#courses.get(id);
    if (!task || !begun) return task?.rawStatus;
    const { course, begunAt } = begun;
    const age = this.#clock.monotonic() - begunAt;
    if (age < course.hiddenMs) return undefined;
    if (course.end === 'never' || age < course.runsMs) return course.word;
    return course.end === 'forgotten' ? undefined : course.end;
  }

  /** The number of requests so far, except requests that create tasks. */
  get requests(): number {
    return this.readIds.length + this.modelListReads;
  }

  override async listModels(): Promise<readonly Model[]> {
    this.#throwWhileUnhealthy();
    return super.listModels();
  }

  override async listTaskPage(...args: Parameters<TestGateway['listTaskPage']>) {
    const page = await super.listTaskPage(...args);
    this.#throwWhileUnhealthy();
    return { ...page, tasks: page.tasks.filter(({ id = '' }) => this.getRawStatus(id) !== undefined) };
  }

  #createReply(id: string): TaskSnapshot {
    this.#throwWhileUnhealthy();
    const task = this.tasks.get(id);
    const word = this.getRawStatus(id);
    if (!task || word === undefined) throw createGatewayError({ kind: 'invalid-parameters', status: 404 });
    this.endTask(id, word);
    return decodeTask(createRecord(task));
  }

  #throwWhileUnhealthy(): void {
    switch (this.health) {
      case 'broken':
        throw createGatewayError({ kind: 'server', status: 503 });
      case 'slow down':
        throw createGatewayError({ kind: 'rate-limited', status: 429 });
      case 'come back later':
        throw createGatewayError({ kind: 'rate-limited', status: 429, retryAfterMs: 90_000 });
      case 'refuses the credential':
        throw createGatewayError({ kind: 'authentication', status: 401 });
      case 'unreachable':
        throw createGatewayError({ kind: 'unreachable', reason: 'refused', wasSent: false });
    }
  }
}

export function findServedTask(gateway: TestGateway, key: string): ServedTask | undefined {
  return [...gateway.tasks.values()].find((task) => task.key === key);
}
