import { performance } from 'node:perf_hooks';
import type { GatewayError } from '../../wire/failures/gatewayError.ts';
import type { Certificate } from './certificates.ts';

/** The steps on the way to a gateway, in the order of a request. */
export const stepNames = ['address', 'name', 'connection', 'proxy', 'tls', 'models', 'credential'] as const;

export type StepName = (typeof stepNames)[number];

/** The findings of each step. */
export interface StepFindings {
  readonly address: { readonly baseUrl: string };
  readonly name: { readonly host: string; readonly addresses: readonly string[] };
  /** The host and port that accepted the connection, of the gateway or the proxy. */
  readonly connection: { readonly peer: string };
  /** The host and port of the proxy; undefined without a proxy. */
  readonly proxy: { readonly proxy: string | undefined };
  /** Without certificates if VS Code's network stack made the connection. */
  readonly tls: { readonly protocol?: string; readonly certificates: readonly Certificate[] };
  /** Without a count if the gateway refused the request. */
  readonly models: { readonly count: number | undefined };
  readonly credential: { readonly isSet: boolean };
}

/** Why a step was skipped. */
export type SkipReason =
  /** The address contains an IP address, not a name. */
  | 'no-name'
  /** The address begins with http. */
  | 'plain-http'
  /** VS Code's own network stack performs the step and does not report it. */
  | 'unseen';

/** A step of a check. Times are in milliseconds. */
export type CheckedStep =
  | {
      [Name in StepName]: {
        readonly name: Name;
        readonly state: 'passed';
        readonly ms: number;
        readonly found: StepFindings[Name];
      };
    }[StepName]
  | { readonly name: StepName; readonly state: 'skipped'; readonly reason: SkipReason }
  | FailedStep;

interface FailedStep {
  readonly name: StepName;
  readonly state: 'failed';
  readonly ms: number;
  readonly error: GatewayError;
  /** The certificate chain of the server, its own certificate first, if its certificate was refused. */
  readonly certificates?: readonly Certificate[];
}

/** Ends a check. The failed step is already recorded. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure';
  readonly error: GatewayError;

  constructor(error: GatewayError) {
    super(error.message, { cause: error });
    this.error = error;
  }
}

/** Records the steps of a check. */
export class StepRecorder {
  readonly #onBegin: (name: StepName) => void;
  readonly #steps = new Map<StepName, CheckedStep>();

  /** @param onBegin called when a step that may take a while begins */
  constructor(onBegin: (name: StepName) => void = () => {}) {
    this.#onBegin = onBegin;
  }

  /** The recorded steps, in the order of a request. */
  get recordedSteps(): readonly CheckedStep[] {
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

  skip(name: StepName, reason: SkipReason): void {
    this.#steps.set(name, { name, state: 'skipped', reason });
  }

  fail(
    name: StepName,
    ms: number,
    error: GatewayError,
    certificates: readonly Certificate[] = [],
  ): StepFailure {
    const chain = certificates.length > 0 && { certificates };
    this.#steps.set(name, { name, state: 'failed', ms, error, ...chain });
    return new StepFailure(error);
  }

  /** Removes a failed step before another connection is tried. */
  remove(name: StepName): void {
    this.#steps.delete(name);
  }

  /**
   * Runs a step and records its result.
   *
   * @param explain converts an error of the step to a gateway error
   * @param work performs the step and returns its findings
   * @param readCertificates returns the certificates of the server, for a failed step
   * @throws {StepFailure}
   */
  async runStep<Name extends StepName>(
    name: Name,
    explain: (error: unknown) => GatewayError,
    work: () => Promise<StepFindings[Name]>,
    readCertificates: () => readonly Certificate[] = () => [],
  ): Promise<void> {
    this.begin(name);
    const startedAt = performance.now();
    try {
      const found = await work();
      this.pass(name, performance.now() - startedAt, found);
    } catch (error) {
      throw this.fail(name, performance.now() - startedAt, explain(error), readCertificates());
    }
  }
}
