import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { HttpError } from '../httpError.ts';
import type { UpstreamReply } from '../upstreams/upstream.ts';
import { completion, opening, replyHead, tokens, usageChunk, usageOf } from './completion.ts';
import type { Dice } from './dice.ts';
import type { Draft } from './draft.ts';
import type { Mishap } from './mishaps.ts';
import { type Pace, paced } from './pace.ts';

/** Everything about a reply that is known before its first byte. */
export interface ReplyPlan {
  readonly model: string;
  readonly drafts: readonly Draft[];
  readonly promptTokens: number;
  readonly pace: Pace;
  readonly dice: Dice;
  readonly mishap: Mishap['kind'] | undefined;
  readonly signal: AbortSignal;
}

export function streamReply(plan: ReplyPlan, includeUsage: boolean): UpstreamReply {
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    body: spoiled(events(plan, includeUsage), plan, tokenCount(plan) / 2),
  };
}

/** Resolves once the tokens could have been written, so that nothing is promised before. */
export async function wholeReply(plan: ReplyPlan): Promise<UpstreamReply> {
  const { model, drafts, promptTokens, pace, signal } = plan;
  if (plan.mishap === 'error') throw brokenOff();
  const longest = Math.max(...drafts.map(({ reasoning, content }) => reasoning.length + content.length));
  await wait(pace.firstMs + longest * pace.tokenMs, undefined, { signal });
  const json = JSON.stringify(completion(replyHead(model), drafts, usageOf(promptTokens, drafts)));
  const headers = { 'content-type': 'application/json' };
  return { status: 200, headers, body: spoiled([json.slice(0, 10), json.slice(10)], plan, 1) };
}

async function* events(
  { model, drafts, promptTokens, pace, dice, signal }: ReplyPlan,
  includeUsage: boolean,
) {
  const head = replyHead(model);
  const usageSoFar = includeUsage ? null : undefined;
  for (const chunk of opening(head, drafts, usageSoFar)) yield event(chunk);
  for await (const chunk of paced(tokens(head, drafts, usageSoFar), pace, dice, signal)) yield event(chunk);
  if (includeUsage) yield event(usageChunk(head, usageOf(promptTokens, drafts)));
  yield 'data: [DONE]\n\n';
}

/** Lets some parts of a reply pass, then what the user asked to see: all of them where that is nothing. */
async function* spoiled(
  parts: AsyncIterable<string> | Iterable<string>,
  { mishap, signal }: ReplyPlan,
  most: number,
) {
  const whole = mishap === undefined || mishap === 'slow';
  let passed = 0;
  for await (const part of parts) {
    if (!whole && passed >= most) break;
    yield part;
    passed += 1;
  }
  if (mishap === 'cut') throw new Error('cut off, as the question asked');
  if (mishap === 'error') yield event(brokenOff().body);
  if (mishap === 'silence') await once(signal, 'abort');
}

function tokenCount({ drafts }: ReplyPlan): number {
  return drafts.reduce((sum, { reasoning, content }) => sum + reasoning.length + content.length, 0);
}

function event(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function brokenOff(): HttpError {
  return new HttpError({
    status: 500,
    message: 'The demo model broke off, because the question asked for it.',
    type: 'server_error',
    code: 'demo_failure',
  });
}
