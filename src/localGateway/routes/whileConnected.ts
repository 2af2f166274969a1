import type { FastifyReply, RouteGenericInterface } from 'fastify';
import { shuttingDown } from '../httpError.ts';

/**
 * Runs `work` until it has an answer, the caller has gone or the gateway ends.
 *
 * @param work gets a signal that is aborted in the latter two cases
 */
export async function whileConnected<Route extends RouteGenericInterface, Answer>(
  reply: FastifyReply<Route>,
  closing: AbortSignal,
  work: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer | FastifyReply<Route>> {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  try {
    return await work(AbortSignal.any([gone.signal, closing]));
  } catch (error) {
    if (gone.signal.aborted) return reply.hijack();
    throw closing.aborted ? shuttingDown() : error;
  }
}
