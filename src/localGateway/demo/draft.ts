import { createHash } from 'node:crypto';
import { type CutConversation, readContinuation } from '../../wire/continuation.ts';
import { writeAnswer, writeJsonAnswer, writeReasoning } from './answer.ts';
import { type Conversation, readConversation } from './conversation.ts';
import { drawPicture, type Picture } from './picture.ts';
import type { Prompt } from './prompt.ts';
import { readPromptOptions } from './promptOptions.ts';
import { seededRandom } from './seededRandom.ts';
import { tokenize } from './tokens.ts';
import { chooseCalls, type ToolCall } from './toolCalls.ts';

/** One choice of a reply, complete before its first token is sent. */
export interface Draft {
  readonly reasoning: readonly string[];
  readonly content: readonly string[];
  /** The picture after the text. */
  readonly picture?: Picture;
  readonly calls: readonly ToolCall[];
  readonly finish: 'stop' | 'length' | 'tool-calls';
  /** The stop text at which the answer ended. */
  readonly stopped?: string;
}

/**
 * Writes one choice within the prompt's limit, or the rest of it after what was said. Reasoning counts as output, as
 * with real models.
 */
export function writeDraft(
  {
    stop,
    json,
    schema,
    maxTokens,
    tools,
    picture,
    said = '',
  }: Pick<Prompt, 'stop' | 'json' | 'schema' | 'maxTokens' | 'tools' | 'picture'> & {
    readonly said?: string;
  },
  conversation: Conversation,
  choice: number,
  reasons: boolean,
): Draft {
  const isJson = json || schema !== undefined;
  const random = seededRandom(`${conversation.fingerprint} ${choice}`);
  const thoughts = reasons ? writeReasoning(conversation, random) : '';
  const reasoning = said === '' ? tokenize(thoughts) : [];
  const calls = chooseCalls(tools, conversation);
  const isDrawn =
    !isJson && calls.length === 0 && (picture || readPromptOptions(conversation.question).picture);
  const extras = {
    calls,
    picture: isDrawn ? (picture === undefined ? 'impossible' : 'drawn') : 'none',
  } as const;
  const answer = isJson ? writeJsonAnswer(conversation, schema) : writeAnswer(conversation, random, extras);
  const { text, stopped } = upToStop(restOf(answer, said), stop);
  const content = tokenize(text);
  const cut = lengthOf({ reasoning, content, calls }) > maxTokens;
  const endsEarly = cut || stopped !== undefined;
  return {
    reasoning: reasoning.slice(0, maxTokens),
    content: content.slice(0, Math.max(0, maxTokens - reasoning.length)),
    ...(!endsEarly && extras.picture === 'drawn' && { picture: drawPicture(random) }),
    calls: endsEarly ? [] : calls,
    finish: cut ? 'length' : calls.length > 0 && !endsEarly ? 'tool-calls' : 'stop',
    ...(!cut && stopped !== undefined && { stopped }),
  };
}

/** All tokens of a choice, with its reasoning and the arguments of its calls. */
export function lengthOf({
  reasoning,
  content,
  calls,
}: Pick<Draft, 'reasoning' | 'content' | 'calls'>): number {
  return reasoning.length + answerLength({ content, calls });
}

/** The tokens of a choice without its reasoning. */
export function answerLength({ content, calls }: Pick<Draft, 'content' | 'calls'>): number {
  return calls.reduce((sum, call) => sum + call.arguments.length, content.length);
}

/**
 * In place of the signature with which providers prove their reasoning, and which they want back unchanged.
 */
export function signatureOf({ reasoning }: Draft): string {
  return createHash('sha256').update(reasoning.join('')).digest('base64');
}

/** What a demo model writes after a reply that it did not begin. */
const strangersRest = ' … (A demo model can go on only with what it wrote itself.)';

function restOf(answer: string, said: string): string {
  return answer.startsWith(said) ? answer.slice(said.length) : strangersRest;
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

/** What a demo model writes a draft from. */
interface Task {
  readonly conversation: Conversation;
  readonly said: string;
  readonly reasons: boolean;
}

/** The models whose replies may be gone on with, and whether each of them reasons. */
export interface Writer {
  readonly model: string;
  readonly reasons: boolean;
}

/**
 * The drafts of the rest of a cut reply: what the model that began it would have written on; undefined for another
 * question, and after a whole reply, where the words are a question like any other.
 */
export function restOfReply(prompt: Prompt, writers: readonly Writer[]): readonly [Draft] | undefined {
  const cut = readContinuation(prompt.messages);
  if (!cut) return undefined;
  const tasks = writers.map((writer) => taskOf(cut, writer));
  const drafts = tasks.map((task) => draftOf(prompt, task));
  const own = drafts.find(({ isOwn }) => isOwn) ?? drafts[0];
  if (!own || (own.isOver && cut.form === 'instruction')) return undefined;
  return [own.draft];
}

function taskOf({ before, said }: CutConversation, { model, reasons }: Writer): Task {
  return { conversation: readConversation({ model, messages: before }), said, reasons };
}

function draftOf(prompt: Prompt, { conversation, said, reasons }: Task) {
  const whole = writeDraft({ ...prompt, maxTokens: Infinity }, conversation, 0, reasons);
  const text = whole.content.join('');
  const draft = writeDraft({ ...prompt, said }, conversation, 0, reasons);
  return { draft, isOwn: text.startsWith(said), isOver: text === said };
}
