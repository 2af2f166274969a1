import type { FastifyReply, RouteGenericInterface } from 'fastify';
import { shuttingDown } from '../httpError.ts';

/**
 * Does work that somebody waits for, until there is an answer, the caller has gone or the gateway ends.
 *
 * @param work is given the signal that tells of either
 */
export async function forCaller<Route extends RouteGenericInterface, Answer>(
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
