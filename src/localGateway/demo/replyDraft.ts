import { createHash } from 'node:crypto';
import { type CutConversation, readContinuation } from '../../wire/continuationRequest.ts';
import { type DemoConversation, readDemoConversation } from './demoConversation.ts';
import { writeJsonReply, writeReasoning, writeTextReply } from './demoReplyText.ts';
import type { DemoPrompt } from './demoRequest.ts';
import { chooseCalls, type DemoToolCall } from './demoToolCalls.ts';
import { drawPicture, type Picture } from './drawPicture.ts';
import { readPromptOptions } from './promptOptions.ts';
import { createRandom } from './seededRandom.ts';
import { tokenize } from './tokens.ts';

/** One choice of a reply, complete before its first token is sent. */
export interface Draft {
  readonly reasoning: readonly string[];
  readonly content: readonly string[];
  /** The picture after the text. */
  readonly picture?: Picture;
  readonly calls: readonly DemoToolCall[];
  readonly finish: 'stop' | 'length' | 'tool-calls';
  /** The stop text that ended the reply. */
  readonly stopped?: string;
}

/**
 * Writes one choice within the limit of the prompt, or the rest of the choice after `partialReply`. Reasoning
 * counts as output, as for real models.
 *
 * @param isReasoning whether the model reasons before its reply
 */
export function writeDraft(
  {
    stop,
    requiresJson,
    schema,
    maxTokens,
    tools,
    requestsPicture,
    partialReply = '',
  }: Pick<DemoPrompt, 'stop' | 'requiresJson' | 'schema' | 'maxTokens' | 'tools' | 'requestsPicture'> & {
    readonly partialReply?: string;
  },
  conversation: DemoConversation,
  choice: number,
  isReasoning: boolean,
): Draft {
  const isJson = requiresJson || schema !== undefined;
  const random = createRandom(`${conversation.fingerprint} ${choice}`);
  const thoughts = isReasoning ? writeReasoning(conversation, random) : '';
  const reasoning = partialReply === '' ? tokenize(thoughts) : [];
  const calls = chooseCalls(tools, conversation);
  const isDrawn =
    !isJson && calls.length === 0 && (requestsPicture || readPromptOptions(conversation.question).picture);
  const extras = {
    calls,
    picture: isDrawn ? (requestsPicture === undefined ? 'impossible' : 'drawn') : 'none',
  } as const;
  const reply = isJson ? writeJsonReply(conversation, schema) : writeTextReply(conversation, random, extras);
  const { text, stopped } = cutAtStop(removePartialReply(reply, partialReply), stop);
  const content = tokenize(text);
  const isCut = countTokens({ reasoning, content, calls }) > maxTokens;
  const endsEarly = isCut || stopped !== undefined;
  return {
    reasoning: reasoning.slice(0, maxTokens),
    content: content.slice(0, Math.max(0, maxTokens - reasoning.length)),
    ...(!endsEarly && extras.picture === 'drawn' && { picture: drawPicture(random) }),
    calls: endsEarly ? [] : calls,
    finish: isCut ? 'length' : calls.length > 0 && !endsEarly ? 'tool-calls' : 'stop',
    ...(!isCut && stopped !== undefined && { stopped }),
  };
}

/** Counts all tokens of a choice, including its reasoning and the arguments of its calls. */
export function countTokens({
  reasoning,
  content,
  calls,
}: Pick<Draft, 'reasoning' | 'content' | 'calls'>): number {
  return reasoning.length + countReplyTokens({ content, calls });
}

/** Counts the tokens of a choice without its reasoning. */
export function countReplyTokens({ content, calls }: Pick<Draft, 'content' | 'calls'>): number {
  return calls.reduce((sum, call) => sum + call.arguments.length, content.length);
}

/** Creates a text that replaces the signature of a provider's reasoning. Callers send it back unchanged. */
export function createSignature({ reasoning }: Draft): string {
  return createHash('sha256').update(reasoning.join('')).digest('base64');
}

/** The reply to a request that continues a reply of another model. */
const cannotContinueText = ' … (A demo model can continue only its own replies.)';

function removePartialReply(reply: string, partialReply: string): string {
  return reply.startsWith(partialReply) ? reply.slice(partialReply.length) : cannotContinueText;
}

function cutAtStop(
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

/** A model whose replies can be continued, and whether it reasons. */
export interface Writer {
  readonly model: string;
  readonly isReasoning: boolean;
}

/**
 * Writes the rest of a cut reply as the model that began it. Returns undefined for a normal question. After a
 * complete reply, a request to continue is also a normal question.
 */
export function continueReply(prompt: DemoPrompt, writers: readonly Writer[]): readonly [Draft] | undefined {
  const cut = readContinuation(prompt.messages);
  if (!cut) return undefined;
  const drafts = writers.map((writer) => writeRest(prompt, cut, writer));
  const chosenDraft = drafts.find(({ isOwn }) => isOwn) ?? drafts[0];
  if (!chosenDraft || (chosenDraft.isComplete && cut.form === 'instruction')) return undefined;
  return [chosenDraft.draft];
}

/** Writes the rest of a reply as if the given model had begun it, and compares the beginnings. */
function writeRest(
  prompt: DemoPrompt,
  { before, reply: partialReply }: CutConversation,
  { model, isReasoning }: Writer,
) {
  const conversation = readDemoConversation({ model, messages: before });
  const unlimitedDraft = writeDraft({ ...prompt, maxTokens: Infinity }, conversation, 0, isReasoning);
  const text = unlimitedDraft.content.join('');
  const draft = writeDraft({ ...prompt, partialReply }, conversation, 0, isReasoning);
  return { draft, isOwn: text.startsWith(partialReply), isComplete: text === partialReply };
}
