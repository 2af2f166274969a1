import { performance } from 'node:perf_hooks';
import type { FailureDetails } from '../wire/failures/failureOfReply.ts';
import { Exchange, type ExchangePlan } from './exchange.ts';
import type { Transport } from './transports/transport.ts';
import type { TransportChoice } from './transports/transportChoice.ts';

/** One attempt at a request: its transport, and its failure, if any. */
export interface Attempt {
  readonly transport: Transport['name'];
  readonly exchange: Exchange;
  readonly failure: FailureDetails | undefined;
}

/**
 * Sends a request over the preferred transport. If that cannot connect, the other transport is tried. A GET is
 * retried once if the connection broke before the reply. Other requests are never sent twice.
 *
 * @throws only errors that the sink of the plan throws
 */
export async function sendWithRetry(plan: ExchangePlan, transports: TransportChoice): Promise<Attempt> {
  const [first, second] = transports.order(plan.request.url);
  const connectingSince = performance.now();
  let latest = await tryOnce(second ? halveConnectTimeout(plan) : plan, transports, first);
  if (second && canTryOtherTransport(latest)) {
    latest = await tryOnce({ ...plan, connectingSince }, transports, second);
  }
  if (plan.request.method === 'GET' && wasResetBeforeReply(latest)) {
    latest = await tryOnce(plan, transports, latest.transport);
  }
  return latest;
}

async function tryOnce(
  plan: ExchangePlan,
  transports: TransportChoice,
  name: Transport['name'],
): Promise<Attempt> {
  const transport = await transports.get(name);
  const exchange = new Exchange(plan);
  const failure = await exchange.run(transport);
  if (exchange.wasSent) transports.remember(plan.request.url, name);
  return { transport: name, exchange, failure };
}

/** Halves the connect timeout, because both transports share it. */
function halveConnectTimeout(plan: ExchangePlan): ExchangePlan {
  return { ...plan, timeouts: { ...plan.timeouts, connect: plan.timeouts.connect / 2 } };
}

/** Whether another transport may connect. A rejected certificate ends the request: no transport may bypass it. */
function canTryOtherTransport({ exchange, failure }: Attempt): boolean {
  return !exchange.wasSent && failure?.kind === 'unreachable' && !failure.reason?.startsWith('tls-');
}

function wasResetBeforeReply({ exchange, failure }: Attempt): boolean {
  return exchange.wasSent && exchange.status === undefined && failure?.reason === 'reset';
}
