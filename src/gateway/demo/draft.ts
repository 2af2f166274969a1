import { createHash } from 'node:crypto';
import { writeAnswer, writeJsonAnswer, writeReasoning } from './answer.ts';
import type { Conversation } from './conversation.ts';
import { diceFor } from './dice.ts';
import type { Prompt } from './prompt.ts';
import { tokenize } from './tokens.ts';

/** One choice of a reply, complete before its first token is sent. */
export interface Draft {
  readonly reasoning: readonly string[];
  readonly content: readonly string[];
  readonly finish: 'stop' | 'length';
  /** The text of `stop` that the answer ended at. */
  readonly stopped?: string;
}

/**
 * Writes one choice, as long as the prompt allows. Reasoning counts as output, as it does with real models.
 */
export function writeDraft(
  { stop, json, mostTokens }: Pick<Prompt, 'stop' | 'json' | 'mostTokens'>,
  conversation: Conversation,
  choice: number,
  reasons: boolean,
): Draft {
  const dice = diceFor(`${conversation.fingerprint} ${choice}`);
  const reasoning = reasons ? tokenize(writeReasoning(conversation, dice)) : [];
  const answer = json ? writeJsonAnswer(conversation) : writeAnswer(conversation, dice);
  const { text, stopped } = upToStop(answer, stop);
  const content = tokenize(text);
  const cut = reasoning.length + content.length > mostTokens;
  return {
    reasoning: reasoning.slice(0, mostTokens),
    content: content.slice(0, Math.max(0, mostTokens - reasoning.length)),
    finish: cut ? 'length' : 'stop',
    ...(!cut && stopped !== undefined && { stopped }),
  };
}

/** Stands for the proof that providers give of their reasoning and want back unchanged. */
export function signatureOf({ reasoning }: Draft): string {
  return createHash('sha256').update(reasoning.join('')).digest('base64');
}

function upToStop(
  text: string,
  stop: readonly string[],
): { readonly text: string; readonly stopped?: string } {
  const found = stop
    .map((word) => ({ word, at: word === '' ? -1 : text.indexOf(word) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at);
  const [first] = found;
  return first ? { text: text.slice(0, first.at), stopped: first.word } : { text };
}
