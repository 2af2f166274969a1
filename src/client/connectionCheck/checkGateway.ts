import { performance } from 'node:perf_hooks';
import { isLoopback } from '../../base/loopback.ts';
import type { Model } from '../../wire/apis/models/modelList.ts';
import { explain } from '../../wire/explanations/explanation.ts';
import { GatewayError } from '../../wire/failures/gatewayError.ts';
import { createCancelledFailure } from '../../wire/failures/replyFailure.ts';
import { createCallIdentity, createUnsentError } from '../callIdentity.ts';
import { findAddressProblem } from '../gatewayAddress.ts';
import { createGatewayClient } from '../gatewayClient.ts';
import { defaultTimeouts } from '../requestTimeouts.ts';
import { createUnusableAddressFailure } from '../sender.ts';
import { createGatewayTransports } from '../transports/transportChoice.ts';
import type { ClientOptions, ExchangeRecord } from '../types.ts';
import { type Certificate, readServerCertificates } from './certificates.ts';
import { type CheckedStep, StepFailure, type StepName, StepRecorder } from './checkedStep.ts';
import { checkNetwork, type ProbedConnection } from './networkCheck.ts';

interface GatewayCheckOptions {
  readonly signal: AbortSignal;
  /** Called when a step that may take a while begins. */
  readonly onBegin?: (name: StepName) => void;
}

/** The result of a check. */
export interface GatewayCheck {
  /** The steps up to the first failed one. */
  readonly steps: readonly CheckedStep[];
  /** Why the last step failed; undefined if all steps passed. */
  readonly error: GatewayError | undefined;
  readonly models: readonly Model[];
}

/**
 * Checks the connection to a gateway step by step until a step fails: the address, the name, the connection, the
 * proxy, TLS, the model list and the credential. It uses the same transports, proxy and certificates as other
 * requests. It sends only the request for the model list, which is free.
 *
 * @throws {GatewayError} as `cancelled` if the signal is aborted
 */
export async function checkGateway(
  options: ClientOptions,
  { signal, onBegin }: GatewayCheckOptions,
): Promise<GatewayCheck> {
  const steps = new StepRecorder(onBegin);
  let models: readonly Model[] = [];
  let error: GatewayError | undefined;
  try {
    const url = checkAddress(options, steps);
    const connection = chooseConnection(url, options);
    const hasPassedProbe =
      connection !== undefined && (await passesNetworkCheck(connection, options, steps, signal));
    models = await checkModelList(url, halveTimeout(options, connection, hasPassedProbe), steps, signal);
  } catch (failure) {
    if (!(failure instanceof StepFailure)) throw failure;
    error = failure.error;
  }
  if (signal.aborted || error?.kind === 'cancelled')
    throw error ?? createUnsentError(createCancelledFailure(), createCallIdentity({}));
  return { steps: steps.recordedSteps, error, models };
}

function checkAddress({ baseUrl, plainHttp }: ClientOptions, steps: StepRecorder): URL {
  const problem = findAddressProblem(baseUrl, plainHttp);
  if (problem)
    throw steps.fail(
      'address',
      0,
      createUnsentError(createUnusableAddressFailure(problem), createCallIdentity({})),
    );
  steps.pass('address', 0, { baseUrl });
  return new URL(baseUrl);
}

/** Chooses the connection to probe: to the gateway or its proxy. Undefined if the proxy's address is unknown here. */
function chooseConnection(
  url: URL,
  options: ClientOptions,
): (ProbedConnection & { readonly hasAlternative: boolean }) | undefined {
  const [first, second] = createGatewayTransports(options).order(url);
  const { connect } = { ...defaultTimeouts, ...options.timeouts };
  const hasAlternative = second !== undefined;
  const budgetMs = hasAlternative ? connect / 2 : connect;
  if (first === 'undici') {
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
    return { url, peer: { hostname: url.hostname, port }, proxy: undefined, budgetMs, hasAlternative };
  }
  const proxy = options.proxy?.(url.origin);
  const proxyUrl =
    proxy !== undefined && URL.canParse(`http://${proxy}`) ? new URL(`http://${proxy}`) : undefined;
  // A default port depends on the scheme, which is unknown here.
  if (proxy === undefined || !proxyUrl?.port) return undefined;
  return {
    url,
    peer: { hostname: proxyUrl.hostname, port: Number(proxyUrl.port) },
    proxy,
    budgetMs,
    hasAlternative,
  };
}

/**
 * Checks the network steps below HTTP.
 *
 * @returns whether they passed; false if VS Code's network stack may still connect
 * @throws {StepFailure} if the steps failed and there is no other connection to try
 */
async function passesNetworkCheck(
  connection: ProbedConnection & { readonly hasAlternative: boolean },
  options: ClientOptions,
  steps: StepRecorder,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await checkNetwork(connection, options, steps, signal);
    return true;
  } catch (failure) {
    const isLast = !connection.hasAlternative || steps.has('tls') || signal.aborted;
    if (!(failure instanceof StepFailure) || isLast) throw failure;
    for (const name of ['name', 'connection', 'proxy'] as const) steps.remove(name);
    return false;
  }
}

/** Halves the connect timeout if a failed probe used the other half. */
function halveTimeout(options: ClientOptions, connection: unknown, hasPassedProbe: boolean): ClientOptions {
  if (connection === undefined || hasPassedProbe) return options;
  const { connect } = { ...defaultTimeouts, ...options.timeouts };
  return { ...options, timeouts: { ...options.timeouts, connect: connect / 2 } };
}

async function checkModelList(
  url: URL,
  options: ClientOptions,
  steps: StepRecorder,
  signal: AbortSignal,
): Promise<readonly Model[]> {
  let exchange: ExchangeRecord | undefined;
  let hasCredential = false;
  const client = createGatewayClient({
    ...options,
    credential: async () => {
      const credential = await options.credential();
      hasCredential = credential !== undefined;
      return credential;
    },
    onExchange: (record) => {
      exchange = record;
      options.onExchange?.(record);
    },
  });
  steps.begin('models');
  const startedAt = performance.now();
  try {
    const models = await client.listModels({ signal });
    recordUnseenSteps(url, options, steps, exchange);
    const ms = performance.now() - startedAt;
    if (models.length === 0) throw steps.fail('models', ms, createNoModelsError(exchange));
    steps.pass('models', ms, { count: models.length });
    steps.pass('credential', 0, { isSet: hasCredential });
    return models;
  } catch (error) {
    if (!GatewayError.is(error)) throw error;
    const ms = performance.now() - startedAt;
    const certificates = await readRefusedCertificates(error, url, options, signal);
    throw failModelList(error, { url, options, steps, exchange, ms, certificates });
  } finally {
    void client.close();
  }
}

/** Reads the certificates that made a request fail; empty if it failed for another reason. */
async function readRefusedCertificates(
  error: GatewayError,
  url: URL,
  { timeouts, proxy }: ClientOptions,
  signal: AbortSignal,
): Promise<readonly Certificate[]> {
  const isTls = error.status === undefined && error.reason?.startsWith('tls-');
  if (!isTls || signal.aborted) return [];
  const budgetMs = timeouts?.connect || defaultTimeouts.connect;
  return readServerCertificates(url, error, {
    configuredProxy: isLoopback(url.hostname) ? undefined : proxy?.(url.origin),
    signal: AbortSignal.any([signal, AbortSignal.timeout(budgetMs)]),
  });
}

interface FailedModelList {
  readonly url: URL;
  readonly options: ClientOptions;
  readonly steps: StepRecorder;
  readonly exchange: ExchangeRecord | undefined;
  readonly ms: number;
  readonly certificates: readonly Certificate[];
}

/**
 * Records a failed request for the model list. Its failure also shows the results of the steps that could not be
 * probed.
 */
function failModelList(
  error: GatewayError,
  { url, options, steps, exchange, ms, certificates }: FailedModelList,
): StepFailure {
  const step = findFailedStep(error, options.proxy?.(url.origin) !== undefined);
  const failedStep = steps.has(step) ? 'models' : step;
  if (failedStep === 'tls' || failedStep === 'models' || failedStep === 'credential')
    recordUnseenSteps(url, options, steps, exchange, failedStep);
  if (failedStep === 'proxy') skipUnseenSteps(steps);
  if (failedStep === 'credential' && error.status !== undefined)
    steps.pass('models', ms, { count: undefined });
  return steps.fail(failedStep, failedStep === 'credential' ? 0 : ms, error, certificates);
}

/** Records the steps that VS Code's network stack performed by itself, up to the failed one. */
function recordUnseenSteps(
  url: URL,
  options: ClientOptions,
  steps: StepRecorder,
  exchange: ExchangeRecord | undefined,
  failedStep?: StepName,
): void {
  skipUnseenSteps(steps);
  const ms = exchange?.sentMs ?? 0;
  const isSent = ms > 0 || failedStep === 'tls';
  if (!isSent) return;
  if (!steps.has('proxy')) steps.pass('proxy', ms, { proxy: options.proxy?.(url.origin) });
  if (steps.has('tls') || failedStep === 'tls') return;
  if (url.protocol === 'http:') steps.skip('tls', 'plain-http');
  else steps.pass('tls', ms, { certificates: [] });
}

function skipUnseenSteps(steps: StepRecorder): void {
  for (const name of ['name', 'connection'] as const) if (!steps.has(name)) steps.skip(name, 'unseen');
}

/** Finds the step at which the request for the model list failed. */
function findFailedStep({ kind, reason, status, wasSent }: GatewayError, hasProxy: boolean): StepName {
  if (reason?.startsWith('proxy')) return 'proxy';
  if (kind === 'authentication') return 'credential';
  if (status !== undefined || wasSent !== false) return 'models';
  if (reason?.startsWith('tls-')) return 'tls';
  if (reason === 'unusable-address') return 'address';
  if (hasProxy) return 'proxy';
  return reason === 'dns' ? 'name' : 'connection';
}

function createNoModelsError(exchange: ExchangeRecord | undefined): GatewayError {
  const { requestId = '', requestedAt = new Date(), gatewayRequestId, status } = exchange ?? {};
  return new GatewayError({
    kind: 'model-unavailable',
    reason: 'no-models',
    explanation: explain('no-models-listed'),
    requestId,
    requestedAt,
    ...(gatewayRequestId !== undefined && { gatewayRequestId }),
    ...(status !== undefined && { status }),
    wasSent: true,
  });
}
