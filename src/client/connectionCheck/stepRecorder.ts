import { performance } from 'node:perf_hooks';
import type { GatewayError } from '../../wire/failure.ts';
import type { Certificate } from './certificates.ts';
import {
  type CheckedStep,
  type SkipReason,
  type StepFindings,
  type StepName,
  stepNames,
} from './checkedStep.ts';

/** Ends a check: the step that failed is recorded. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure';
  readonly error: GatewayError;

  constructor(error: GatewayError) {
    super(error.message, { cause: error });
    this.error = error;
  }
}

/** Records the steps of a check as they are taken. */
export class StepRecorder {
  readonly #onBegin: (name: StepName) => void;
  readonly #steps = new Map<StepName, CheckedStep>();

  /** @param onBegin called when a step begins that may take a while */
  constructor(onBegin: (name: StepName) => void = () => {}) {
    this.#onBegin = onBegin;
  }

  /** The steps that were taken or skipped, in their order. */
  get all(): readonly CheckedStep[] {
    return stepNames.flatMap((name) => this.#steps.get(name) ?? []);
  }

  has(name: StepName): boolean {
    return this.#steps.has(name);
  }

  begin(name: StepName): void {
    this.#onBegin(name);
  }

  pass<Name extends StepName>(name: Name, ms: number, found: StepFindings[Name]): void {
    this.#steps.set(name, { name, state: 'passed', ms, found } as CheckedStep);
  }

  skip(name: StepName, why: SkipReason): void {
    this.#steps.set(name, { name, state: 'skipped', why });
  }

  fail(
    name: StepName,
    ms: number,
    error: GatewayError,
    certificates: readonly Certificate[] = [],
  ): StepFailure {
    const shown = certificates.length > 0 && { certificates };
    this.#steps.set(name, { name, state: 'failed', ms, error, ...shown });
    return new StepFailure(error);
  }

  /** Forgets a failed step, since there may be another way. */
  forget(name: StepName): void {
    this.#steps.delete(name);
  }

  /**
   * Takes a step, and records how it went.
   *
   * @param explain what an error of the step means
   * @param certificates those that were shown, should it fail
   * @throws {StepFailure}
   */
  async take<Name extends StepName>(
    name: Name,
    explain: (error: unknown) => GatewayError,
    work: () => Promise<StepFindings[Name]>,
    certificates: () => readonly Certificate[] = () => [],
  ): Promise<void> {
    this.begin(name);
    const began = performance.now();
    try {
      const found = await work();
      this.pass(name, performance.now() - began, found);
    } catch (error) {
      throw this.fail(name, performance.now() - began, explain(error), certificates());
    }
  }
}
