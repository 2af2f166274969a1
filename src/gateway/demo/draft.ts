import type { ChatCompletionsRequest } from '../../wire/shapes/chatCompletions.ts';
import { writeAnswer, writeJsonAnswer, writeReasoning } from './answer.ts';
import type { Conversation } from './conversation.ts';
import { diceFor } from './dice.ts';
import { tokenize } from './tokens.ts';

/** One choice of a reply, complete before its first token is sent. */
export interface Draft {
  readonly reasoning: readonly string[];
  readonly content: readonly string[];
  readonly finish: 'stop' | 'length';
}

/**
 * Writes one choice, as long as `stop`, `max_tokens` and `max_completion_tokens` allow. Reasoning counts as
 * output, as it does with real models.
 */
export function writeDraft(
  request: ChatCompletionsRequest,
  conversation: Conversation,
  choice: number,
  reasons: boolean,
): Draft {
  const dice = diceFor(`${conversation.fingerprint} ${choice}`);
  const reasoning = reasons ? tokenize(writeReasoning(conversation, dice)) : [];
  const inJson = request.response_format?.type === 'json_object';
  const answer = inJson ? writeJsonAnswer(conversation) : writeAnswer(conversation, dice);
  const content = tokenize(upToStop(answer, request.stop));

  const most = Math.min(request.max_tokens ?? Infinity, request.max_completion_tokens ?? Infinity);
  return {
    reasoning: reasoning.slice(0, most),
    content: content.slice(0, Math.max(0, most - reasoning.length)),
    finish: reasoning.length + content.length > most ? 'length' : 'stop',
  };
}

function upToStop(text: string, stop: ChatCompletionsRequest['stop']): string {
  const stops = typeof stop === 'string' ? [stop] : (stop ?? []);
  const found = stops.filter((word) => word !== '').map((word) => text.indexOf(word));
  return text.slice(0, Math.min(text.length, ...found.filter((at) => at >= 0)));
}
