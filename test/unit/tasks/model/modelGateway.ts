import type { Model } from '../../../../src/wire/apis/models/modelList.ts';
import { decodeTask } from '../../../../src/wire/apis/taskRecord/decode.ts';
import type { TaskSnapshot } from '../../../../src/wire/apis/taskRecord/snapshot.ts';
import type { TestClock } from '../../../support/tasksClock.ts';
import { gatewayError, type MadeTask, recordOf, TestGateway } from '../../../support/tasksGateway.ts';

/** How the gateway answers everybody who asks how a task is doing. */
export type GatewayCondition =
  | 'well'
  | 'broken'
  | 'slow down'
  | 'come back later'
  | 'refuses the credential'
  | 'unreachable';

/** What becomes of a task once it is made. */
export interface Life {
  /** Not shown to anybody at first. */
  readonly hiddenMs: number;
  readonly runsMs: number;
  /** The word while it runs. */
  readonly word: string;
  /** The word it ends with, after which it may be forgotten. */
  readonly end: 'completed' | 'failed' | 'not_found' | 'forgotten' | 'never';
}

/** A gateway whose tasks live by the test's time. */
export class ModelGateway extends TestGateway {
  readonly #clock: TestClock;
  readonly #lives = new Map<string, { readonly life: Life; readonly bornAt: number }>();
  condition: GatewayCondition = 'well';

  constructor(clock: TestClock) {
    super(() => clock.now());
    this.#clock = clock;
    this.answer = (id) => this.#answerFor(id);
  }

  live(id: string, life: Life): void {
    this.#lives.set(id, { life, bornAt: this.#clock.monotonic() });
  }

  cancel(id: string): void {
    if (this.wordOf(id) !== 'completed') this.end(id, 'cancelled');
    this.#lives.delete(id);
  }

  /** The task's word by now; `undefined` while it is not shown, or not any more. */
  wordOf(id: string): string | undefined {
    const task = this.tasks.get(id);
    const lived = this.#lives.get(id);
    if (!task || !lived) return task?.word;
    const { life, bornAt } = lived;
    const age = this.#clock.monotonic() - bornAt;
    if (age < life.hiddenMs) return undefined;
    if (life.end === 'never' || age < life.runsMs) return life.word;
    return life.end === 'forgotten' ? undefined : life.end;
  }

  override async listModels(): Promise<readonly Model[]> {
    this.#beMoody();
    return super.listModels();
  }

  override async listTaskPage(...args: Parameters<TestGateway['listTaskPage']>) {
    const page = await super.listTaskPage(...args);
    this.#beMoody();
    return { ...page, tasks: page.tasks.filter(({ id = '' }) => this.wordOf(id) !== undefined) };
  }

  #answerFor(id: string): TaskSnapshot {
    this.#beMoody();
    const task = this.tasks.get(id);
    const word = this.wordOf(id);
    if (!task || word === undefined) throw gatewayError({ kind: 'invalid-parameters', status: 404 });
    this.end(id, word);
    return decodeTask(recordOf(task));
  }

  #beMoody(): void {
    switch (this.condition) {
      case 'broken':
        throw gatewayError({ kind: 'server', status: 503 });
      case 'slow down':
        throw gatewayError({ kind: 'rate-limited', status: 429 });
      case 'come back later':
        throw gatewayError({ kind: 'rate-limited', status: 429, retryAfterMs: 90_000 });
      case 'refuses the credential':
        throw gatewayError({ kind: 'authentication', status: 401 });
      case 'unreachable':
        throw gatewayError({ kind: 'unreachable', reason: 'refused', sent: false });
    }
  }
}

export function madeFor(gateway: TestGateway, key: string): MadeTask | undefined {
  return [...gateway.tasks.values()].find((task) => task.key === key);
}
