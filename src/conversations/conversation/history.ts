import { type ContinuationForm, continuationRequest } from '../../wire/continuation.ts';
import { type Explanation, explain, type SentenceId } from '../../wire/explanations/explanation.ts';
import type { Message, MessagePart } from '../../wire/message.ts';
import { Omissions } from '../../wire/omissions.ts';
import { withFiles } from './askedFile.ts';
import type { Messages } from './messages.ts';
import type { MissingPart } from './record.ts';
import { hasText, joinedTexts, textOf } from './reply.ts';
import { type Answer, type Asking, type History, isGone, type Prompt, type Question } from './turn.ts';

/** Whether a turn goes along with later questions: its reply has text. */
export function carries(messages: Messages, turnId: string): boolean {
  return messages.chain(turnId).some(({ replies: [first] }) => hasText(first));
}

/** The text that an answer goes on with; undefined for an answer to a question. */
export function continuedText(messages: Messages, answerId: string): string | undefined {
  const parent = messages.tree.parent(answerId);
  if (parent === undefined || !messages.answer(parent)) return undefined;
  return messages
    .chain(parent)
    .map(({ replies: [first] }) => (first ? textOf(first) : ''))
    .join('');
}

/**
 * The messages for the request of an answer.
 *
 * @param form how the model is asked to go on with an answer
 */
export function historyFor(messages: Messages, answerId: string, form: ContinuationForm): History {
  const answer = messages.answer(answerId);
  if (!answer) return { messages: [], omitted: [] };
  const parent = messages.tree.parent(answerId);
  const said = continuedText(messages, answerId);
  if (said !== undefined && form === 'prefix') return historyUpTo(messages, parent, answer.asked);
  if (said !== undefined) {
    const goOn = { text: continuationRequest(said), images: [] };
    return historyAfter(messages, parent, { ...goOn, ...answer.asked });
  }
  const above = parent === undefined ? undefined : messages.tree.parent(parent);
  return historyAfter(messages, above, { ...messages.prompt(parent), ...answer.asked });
}

/** The messages for a question after an answer. */
export function historyAfter(messages: Messages, after: string | undefined, question: Question): History {
  const omitted = new Omissions();
  const { messages: before } = historyUpTo(messages, after, question, omitted);
  return { messages: [...before, userMessage(question, omitted)], omitted: omitted.all };
}

/** The messages up to an answer, with the instructions above them. */
function historyUpTo(
  messages: Messages,
  answerId: string | undefined,
  next: Asking,
  omitted = new Omissions(),
): History {
  const said = carriedUpTo(messages, answerId).flatMap((exchange) =>
    exchangeMessages(exchange, next, omitted),
  );
  return { messages: [...systemMessages(next), ...said], omitted: omitted.all };
}

/** A question with its answer, which may consist of several that continue each other. */
interface Exchange {
  readonly prompt: Prompt;
  readonly answers: readonly Answer[];
}

/**
 * The exchanges up to an answer that go along with a question after it, in order. Those without a reply are
 * left out: a failed one would become a question without an answer.
 */
function carriedUpTo(messages: Messages, answerId: string | undefined): readonly Exchange[] {
  const newestFirst: Exchange[] = [];
  for (let id = answerId; id !== undefined; ) {
    const answers = messages.chain(id);
    const questionId = messages.tree.parent(answers[0]?.id ?? id);
    if (carries(messages, id)) newestFirst.push({ prompt: messages.prompt(questionId), answers });
    id = questionId === undefined ? undefined : messages.tree.parent(questionId);
  }
  return newestFirst.reverse();
}

/** The messages of an earlier exchange, before a question. What does not go along is added to `omitted`. */
function exchangeMessages(
  { prompt, answers }: Exchange,
  next: Asking,
  omitted: Omissions,
): readonly Message[] {
  const parts = answers.flatMap((answer) => replayableParts(answer, next, omitted));
  return [userMessage(prompt, omitted), { role: 'assistant', parts: joinedTexts(parts) }];
}

/** The instructions above a conversation. */
function systemMessages({ systemPrompt = '' }: Asking): readonly Message[] {
  if (systemPrompt.trim() === '') return [];
  return [{ role: 'system', parts: [{ type: 'text', text: systemPrompt }] }];
}

/** Whether a request leaves something out because it is not on the disk any more, or never was. */
export function isOfMissing({ id }: Explanation): boolean {
  return omissionsOfMissing.includes(id);
}

const omissionsOfMissing: readonly SentenceId[] = [
  'omitted-missing-picture',
  'omitted-missing-file',
  'omitted-missing-attachment',
  'omitted-unimported-file',
  'omitted-unimported-attachment',
];

/** The message of a question. What of it is gone from the disk is added to `omitted`. */
function userMessage(prompt: Prompt, omitted: Omissions): Message {
  const { images, files, missing = [] } = prompt;
  omitMissing(missing, omitted);
  // Providers refuse an empty message.
  const text = isGone(prompt) ? goneWords : prompt.text;
  return { role: 'user', parts: [...images, { type: 'text', text: withFiles(text, files) }] };
}

/** What a model reads in the place of an earlier question of which nothing is left. */
const goneWords = '(What was attached here is not available any more.)';

/** Whether the bytes of something that is missing were here once: the file that was imported may have lacked them. */
export function wasThere({ type }: MissingPart): boolean {
  return type !== 'other';
}

/** What people called something that is missing, where they gave it a name. */
export function nameOfMissing(part: MissingPart): string | undefined {
  const name = part.type === 'other' ? part.value.name : part.name;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

function omitMissing(missing: readonly MissingPart[], omitted: Omissions): void {
  for (const part of missing) omitted.add(omissionOf(part));
}

function omissionOf(part: MissingPart): Explanation {
  const file = nameOfMissing(part);
  if (!wasThere(part)) {
    return file === undefined
      ? explain('omitted-unimported-attachment')
      : explain('omitted-unimported-file', { file });
  }
  if (file !== undefined) return explain('omitted-missing-file', { file });
  return explain(part.type === 'image' ? 'omitted-missing-picture' : 'omitted-missing-attachment');
}

/**
 * The parts of a reply that go into the next request. The others are added to `omitted`. Providers
 * refuse a call without a result, and reasoning signed by another model or format.
 */
function replayableParts(
  { replies: [reply], asked }: Answer,
  next: Asking,
  omitted: Omissions,
): readonly MessagePart[] {
  const parts = reply?.parts ?? [];
  omitMissing(reply?.missing ?? [], omitted);
  const isOther = asked.model !== next.model || asked.format !== next.format;
  return parts.filter(({ type }) => {
    if (type === 'toolCall') omitted.add(explain('omitted-unanswered-call'));
    else if (type === 'reasoning' && isOther) omitted.add(explain('omitted-reasoning-of-another'));
    else return true;
    return false;
  });
}
