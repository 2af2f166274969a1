import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { HttpError } from '../../http/httpError.ts';
import type { UpstreamReply } from '../../upstreams/upstream.ts';
import { lengthOf } from '../draft.ts';
import { type Pace, paced } from '../pace.ts';
import type { SeededRandom } from '../seededRandom.ts';
import type { SimulatedFault } from '../simulatedFaults.ts';
import type { UnderstoodRequest } from '../understoodRequest.ts';
import { type PieceWriter, pieces, pieceWriter, type Reply, writtenWhole } from '../writtenReply.ts';

/** What is known of a reply before its first byte. */
export interface ReplyPlan {
  readonly reply: Reply;
  readonly request: UnderstoodRequest;
  readonly pace: Pace;
  readonly random: SeededRandom;
  readonly fault: SimulatedFault['kind'] | undefined;
  readonly signal: AbortSignal;
}

export function streamReply(plan: ReplyPlan): UpstreamReply {
  const { request, reply } = plan;
  const writer = pieceWriter(reply, request);
  return {
    status: 200,
    headers: { 'content-type': writer.contentType },
    body: withFault(events(plan, writer), plan, tokenCount(reply) / 2, () => writer.brokenOff(brokenOff())),
  };
}

/**
 * Waits as long as writing the tokens takes.
 *
 * @throws {HttpError} for a simulated error, or the signal's reason when it is aborted
 */
export async function wholeReply(plan: ReplyPlan): Promise<UpstreamReply> {
  const { reply, request, pace, signal } = plan;
  if (plan.fault === 'error') throw brokenOff();
  const longest = Math.max(...reply.drafts.map(lengthOf));
  await wait(pace.firstMs + longest * pace.tokenMs, undefined, { signal });
  const json = JSON.stringify(writtenWhole(reply, request));
  const headers = { 'content-type': 'application/json' };
  return { status: 200, headers, body: withFault([json.slice(0, 10), json.slice(10)], plan, 1) };
}

async function* events({ reply, pace, random, signal }: ReplyPlan, writer: PieceWriter) {
  yield writer.opening();
  for await (const piece of paced(pieces(reply), pace, random, signal)) yield writer.piece(piece);
  yield writer.ending();
}

/**
 * Passes parts of a stream on, with the simulated fault if one is asked for.
 *
 * @param lastWords the end of a stream that breaks off
 */
async function* withFault(
  parts: AsyncIterable<string> | Iterable<string>,
  { fault, signal }: ReplyPlan,
  maxParts: number,
  lastWords?: () => string,
) {
  const whole = fault === undefined || fault === 'slow';
  let passed = 0;
  for await (const part of parts) {
    if (!whole && passed >= maxParts) break;
    yield part;
    passed += 1;
  }
  if (fault === 'cut') throw new Error('cut off, as the question asked');
  if (fault === 'error' && lastWords) yield lastWords();
  if (fault === 'silence') await once(signal, 'abort');
}

function tokenCount({ drafts }: Reply): number {
  return drafts.reduce((sum, draft) => sum + lengthOf(draft), 0);
}

function brokenOff(): HttpError {
  return new HttpError({
    status: 500,
    message: 'The demo model broke off, because the question asked for it.',
    type: 'server_error',
    code: 'demo_failure',
  });
}
