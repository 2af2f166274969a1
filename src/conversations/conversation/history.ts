import { type ContinuationForm, writeContinuationRequest } from '../../wire/continuationRequest.ts';
import { type Explanation, explain, type SentenceId } from '../../wire/explanations/explanation.ts';
import { type Message, type MessagePart, Omissions } from '../../wire/message.ts';
import { withFiles } from './attachedFile.ts';
import type { MissingPart } from './conversationRecord.ts';
import type { Messages } from './messages.ts';
import { hasText, joinedTexts, replyText } from './reply.ts';
import {
  type ConversationReply,
  type History,
  isPromptMissing,
  type Prompt,
  type Question,
  type ReplySettings,
} from './turn.ts';

/** Whether later requests include a turn: its reply has text. */
export function isInLaterRequests(messages: Messages, turnId: string): boolean {
  return messages.chain(turnId).some(({ replies: [first] }) => hasText(first));
}

/** The text that a reply continues; undefined for a reply to a question. */
export function continuedText(messages: Messages, replyId: string): string | undefined {
  const parent = messages.tree.parent(replyId);
  if (parent === undefined || !messages.reply(parent)) return undefined;
  return messages
    .chain(parent)
    .map(({ replies: [first] }) => (first ? replyText(first) : ''))
    .join('');
}

/**
 * The messages for the request of a reply.
 *
 * @param form how the request makes the model continue a reply
 */
export function historyFor(messages: Messages, replyId: string, form: ContinuationForm): History {
  const reply = messages.reply(replyId);
  if (!reply) return { messages: [], omitted: [] };
  const parent = messages.tree.parent(replyId);
  const textToContinue = continuedText(messages, replyId);
  if (textToContinue !== undefined && form === 'prefix') return historyUpTo(messages, parent, reply.settings);
  if (textToContinue !== undefined) {
    const continuation = { text: writeContinuationRequest(textToContinue), images: [] };
    return historyAfter(messages, parent, { ...continuation, ...reply.settings });
  }
  const above = parent === undefined ? undefined : messages.tree.parent(parent);
  return historyAfter(messages, above, { ...messages.prompt(parent), ...reply.settings });
}

/** The messages for a question after a reply. */
export function historyAfter(messages: Messages, after: string | undefined, question: Question): History {
  const omitted = new Omissions();
  const { messages: before } = historyUpTo(messages, after, question, omitted);
  return { messages: [...before, userMessage(question, omitted)], omitted: omitted.all };
}

/** The messages up to a reply, after the system prompt. */
function historyUpTo(
  messages: Messages,
  replyId: string | undefined,
  next: ReplySettings,
  omitted = new Omissions(),
): History {
  const earlierMessages = readExchangesUpTo(messages, replyId).flatMap((exchange) =>
    exchangeMessages(exchange, next, omitted),
  );
  return { messages: [...systemMessages(next), ...earlierMessages], omitted: omitted.all };
}

/** A question with its reply, which may consist of several continuations. */
interface Exchange {
  readonly prompt: Prompt;
  readonly replies: readonly ConversationReply[];
}

/**
 * The exchanges up to a reply that a later request includes, in order. A reply without text is omitted with
 * its question, which would otherwise become a question without a reply.
 */
function readExchangesUpTo(messages: Messages, replyId: string | undefined): readonly Exchange[] {
  const newestFirst: Exchange[] = [];
  for (let id = replyId; id !== undefined; ) {
    const replies = messages.chain(id);
    const questionId = messages.tree.parent(replies[0]?.id ?? id);
    if (isInLaterRequests(messages, id)) newestFirst.push({ prompt: messages.prompt(questionId), replies });
    id = questionId === undefined ? undefined : messages.tree.parent(questionId);
  }
  return newestFirst.reverse();
}

/** The messages of an earlier exchange. Omitted parts are added to `omitted`. */
function exchangeMessages(
  { prompt, replies }: Exchange,
  next: ReplySettings,
  omitted: Omissions,
): readonly Message[] {
  const parts = replies.flatMap((reply) => replayableParts(reply, next, omitted));
  return [userMessage(prompt, omitted), { role: 'assistant', parts: joinedTexts(parts) }];
}

function systemMessages({ systemPrompt = '' }: ReplySettings): readonly Message[] {
  if (systemPrompt.trim() === '') return [];
  return [{ role: 'system', parts: [{ type: 'text', text: systemPrompt }] }];
}

/** Whether an omission is due to a missing file: it is no longer on the disk, or was never there. */
export function isMissingFileOmission({ id }: Explanation): boolean {
  return missingFileOmissions.includes(id);
}

const missingFileOmissions: readonly SentenceId[] = [
  'omitted-missing-picture',
  'omitted-missing-file',
  'omitted-missing-attachment',
  'omitted-unimported-file',
  'omitted-unimported-attachment',
];

/** The message of a question. Its missing attachments are added to `omitted`. */
function userMessage(prompt: Prompt, omitted: Omissions): Message {
  const { images, files, missing = [] } = prompt;
  omitMissing(missing, omitted);
  // Providers refuse an empty message.
  const text = isPromptMissing(prompt) ? missingPromptText : prompt.text;
  return { role: 'user', parts: [...images, { type: 'text', text: withFiles(text, files) }] };
}

/** Replaces an earlier question whose entire content is missing. */
const missingPromptText = '(The attachment is no longer available.)';

/** Whether the bytes of a missing part were stored here at some time: an imported file may have lacked them. */
export function wasStored({ type }: MissingPart): boolean {
  return type !== 'other';
}

/** The name of a missing part in the chat, if it has one. */
export function nameOfMissing(part: MissingPart): string | undefined {
  const name = part.type === 'other' ? part.value.name : part.name;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

function omitMissing(missing: readonly MissingPart[], omitted: Omissions): void {
  for (const part of missing) omitted.add(omissionOf(part));
}

function omissionOf(part: MissingPart): Explanation {
  const file = nameOfMissing(part);
  if (!wasStored(part)) {
    return file === undefined
      ? explain('omitted-unimported-attachment')
      : explain('omitted-unimported-file', { file });
  }
  if (file !== undefined) return explain('omitted-missing-file', { file });
  return explain(part.type === 'image' ? 'omitted-missing-picture' : 'omitted-missing-attachment');
}

/**
 * The parts of a reply that the next request includes. The others are added to `omitted`. Providers refuse a
 * tool call without a result, and reasoning signed by another model or format.
 */
function replayableParts(
  { replies: [reply], settings }: ConversationReply,
  next: ReplySettings,
  omitted: Omissions,
): readonly MessagePart[] {
  const parts = reply?.parts ?? [];
  omitMissing(reply?.missing ?? [], omitted);
  const isOther = settings.model !== next.model || settings.format !== next.format;
  return parts.filter(({ type }) => {
    if (type === 'toolCall') omitted.add(explain('omitted-unanswered-call'));
    else if (type === 'reasoning' && isOther) omitted.add(explain('omitted-reasoning-of-another'));
    else return true;
    return false;
  });
}
