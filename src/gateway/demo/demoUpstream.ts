import type { ChatCompletionsRequest } from '../../wire/shapes/chatCompletions.ts';
import type { Model } from '../../wire/shapes/models.ts';
import { demoName, unknownModel } from '../catalogue.ts';
import { HttpError } from '../httpError.ts';
import type { ChatCall, Upstream, UpstreamReply } from '../upstreams/upstream.ts';
import { readConversation } from './conversation.ts';
import { diceFor } from './dice.ts';
import { writeDraft } from './draft.ts';
import { readMishap } from './mishaps.ts';
import { choosePace } from './pace.ts';
import { streamReply, wholeReply } from './reply.ts';

const models: readonly Model[] = ['chat', 'reasoning'].map((id) => ({
  id,
  owner: 'demo',
  created: 1_767_225_600,
}));

const mostChoices = 8;

export interface DemoOptions {
  /** 0 writes without waiting; a real model's pace when absent. */
  readonly tokensPerSecond?: number;
}

/**
 * Models that are none: they answer about what was sent, without an account and without a network. The same
 * request brings the same reply but for its id and time.
 */
export function demoUpstream({ tokensPerSecond }: DemoOptions): Upstream {
  return {
    name: demoName,
    listModels: async () => models,
    chat: (call) => reply(call, tokensPerSecond),
    close: async () => {},
  };
}

async function reply(
  { model, request, signal }: ChatCall,
  tokensPerSecond: number | undefined,
): Promise<UpstreamReply> {
  if (!models.some(({ id }) => id === model)) throw unknownModel(request.model);
  const conversation = readConversation(request);
  const mishap = readMishap(conversation.question);
  refuseWhatNoDemoDoes(request);
  if (mishap?.kind === 'status') throw wantedFailure(mishap.status);

  const drafts = Array.from({ length: request.n ?? 1 }, (_, choice) =>
    writeDraft(request, conversation, choice, model === 'reasoning'),
  );
  const dice = diceFor(conversation.fingerprint);
  const plan = {
    model: request.model,
    drafts,
    promptTokens: conversation.promptTokens,
    pace: choosePace(dice, mishap?.kind === 'slow' ? 4 : tokensPerSecond),
    dice,
    mishap: mishap?.kind,
    signal,
  };
  return request.stream
    ? streamReply(plan, request.stream_options?.include_usage === true)
    : wholeReply(plan);
}

function refuseWhatNoDemoDoes({ n, response_format }: ChatCompletionsRequest): void {
  if ((n ?? 1) > mostChoices)
    throw unsupported('n', `a demo model writes at most ${mostChoices} answers at once`);
  if (response_format?.type === 'json_schema') {
    throw unsupported(
      'response_format.type',
      'a demo model follows no JSON schema; send text or json_object',
    );
  }
}

function unsupported(param: string, problem: string): HttpError {
  const message = `${param}: ${problem}.`;
  return new HttpError({
    status: 400,
    message,
    type: 'invalid_request_error',
    param,
    code: 'unsupported_value',
  });
}

function wantedFailure(status: number): HttpError {
  return new HttpError({
    status,
    message: `The demo model fails with ${status}, because the question asked for it.`,
    type: status === 429 ? 'rate_limit_error' : status < 500 ? 'invalid_request_error' : 'server_error',
    code: status === 429 ? 'rate_limit_exceeded' : 'demo_failure',
    ...((status === 429 || status === 503) && { headers: { 'Retry-After': '2' } }),
  });
}
