import { type ContinuationForm, writeContinuationRequest } from '../../wire/continuationRequest.ts';
import { type Explanation, explain, type SentenceId } from '../../wire/explanations/explanation.ts';
import { type Message, type MessagePart, Omissions } from '../../wire/message.ts';
import { prependFiles } from './attachedFile.ts';
import type { MissingPart } from './conversationRecord.ts';
import type { Messages } from './messages.ts';
import { hasText, joinTexts, replyText } from './reply.ts';
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
  return messages.getChain(turnId).some(({ replies: [first] }) => hasText(first));
}

/** Reads the text that a reply continues; undefined for a reply to a question. */
export function readContinuedText(messages: Messages, replyId: string): string | undefined {
  const parent = messages.tree.parent(replyId);
  if (parent === undefined || !messages.reply(parent)) return undefined;
  return messages
    .getChain(parent)
    .map(({ replies: [first] }) => (first ? replyText(first) : ''))
    .join('');
}

/**
 * Creates the messages for the request of a reply.
 *
 * @param form how the request makes the model continue a reply
 */
export function buildHistory(messages: Messages, replyId: string, form: ContinuationForm): History {
  const reply = messages.reply(replyId);
  if (!reply) return { messages: [], omitted: [] };
  const parent = messages.tree.parent(replyId);
  const textToContinue = readContinuedText(messages, replyId);
  if (textToContinue !== undefined && form === 'prefix')
    return buildHistoryUpTo(messages, parent, reply.settings);
  if (textToContinue !== undefined) {
    const continuation = { text: writeContinuationRequest(textToContinue), images: [] };
    return buildHistoryAfter(messages, parent, { ...continuation, ...reply.settings });
  }
  const previousReply = parent === undefined ? undefined : messages.tree.parent(parent);
  return buildHistoryAfter(messages, previousReply, { ...messages.prompt(parent), ...reply.settings });
}

/** Creates the messages for a question after a reply. */
export function buildHistoryAfter(
  messages: Messages,
  after: string | undefined,
  question: Question,
): History {
  const omitted = new Omissions();
  const { messages: before } = buildHistoryUpTo(messages, after, question, omitted);
  return { messages: [...before, createUserMessage(question, omitted)], omitted: omitted.all };
}

/** Creates the system message and the messages up to a reply. */
function buildHistoryUpTo(
  messages: Messages,
  replyId: string | undefined,
  next: ReplySettings,
  omitted = new Omissions(),
): History {
  const earlierMessages = readExchangesUpTo(messages, replyId).flatMap((exchange) =>
    createExchangeMessages(exchange, next, omitted),
  );
  return { messages: [...createSystemMessages(next), ...earlierMessages], omitted: omitted.all };
}

/** A question with its reply, which may consist of several continuations. */
interface Exchange {
  readonly prompt: Prompt;
  readonly replies: readonly ConversationReply[];
}

/**
 * Reads the exchanges up to a reply that a later request includes, in order. A reply without text is omitted
 * together with its question, which would otherwise have no reply.
 */
function readExchangesUpTo(messages: Messages, replyId: string | undefined): readonly Exchange[] {
  const newestFirst: Exchange[] = [];
  for (let id = replyId; id !== undefined; ) {
    const replies = messages.getChain(id);
    const questionId = messages.tree.parent(replies[0]?.id ?? id);
    if (isInLaterRequests(messages, id)) newestFirst.push({ prompt: messages.prompt(questionId), replies });
    id = questionId === undefined ? undefined : messages.tree.parent(questionId);
  }
  return newestFirst.reverse();
}

/** Creates the messages of an earlier exchange. Omitted parts are added to `omitted`. */
function createExchangeMessages(
  { prompt, replies }: Exchange,
  next: ReplySettings,
  omitted: Omissions,
): readonly Message[] {
  const parts = replies.flatMap((reply) => filterReplayableParts(reply, next, omitted));
  return [createUserMessage(prompt, omitted), { role: 'assistant', parts: joinTexts(parts) }];
}

function createSystemMessages({ systemPrompt = '' }: ReplySettings): readonly Message[] {
  if (systemPrompt.trim() === '') return [];
  return [{ role: 'system', parts: [{ type: 'text', text: systemPrompt }] }];
}

/** Whether a part was omitted because its bytes are no longer on the disk, or were not imported. */
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

/** Creates the message of a question. Its missing attachments are added to `omitted`. */
function createUserMessage(prompt: Prompt, omitted: Omissions): Message {
  const { images, files, missing = [] } = prompt;
  omitMissing(missing, omitted);
  // Providers refuse an empty message.
  const text = isPromptMissing(prompt) ? missingPromptText : prompt.text;
  return { role: 'user', parts: [...images, { type: 'text', text: prependFiles(text, files) }] };
}

/** Replaces an earlier question whose entire content is missing. */
const missingPromptText = '(The attachment is no longer available.)';

/** Whether the bytes of a missing part were stored here at some time: an imported file may have lacked them. */
export function wasStored({ type }: MissingPart): boolean {
  return type !== 'other';
}

/** Reads the name of a missing part, if it has one. */
export function readMissingName(part: MissingPart): string | undefined {
  const name = part.type === 'other' ? part.value.name : part.name;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

function omitMissing(missing: readonly MissingPart[], omitted: Omissions): void {
  for (const part of missing) omitted.add(explainOmission(part));
}

function explainOmission(part: MissingPart): Explanation {
  const file = readMissingName(part);
  if (!wasStored(part)) {
    return file === undefined
      ? explain('omitted-unimported-attachment')
      : explain('omitted-unimported-file', { file });
  }
  if (file !== undefined) return explain('omitted-missing-file', { file });
  return explain(part.type === 'image' ? 'omitted-missing-picture' : 'omitted-missing-attachment');
}

/**
 * Filters the parts of a reply that the next request includes, and adds the others to `omitted`. Providers refuse
 * a tool call without a result, and reasoning signed by another model or format.
 */
function filterReplayableParts(
  { replies: [reply], settings }: ConversationReply,
  next: ReplySettings,
  omitted: Omissions,
): readonly MessagePart[] {
  const parts = reply?.parts ?? [];
  omitMissing(reply?.missing ?? [], omitted);
  const isOtherModel = settings.model !== next.model || settings.format !== next.format;
  return parts.filter(({ type }) => {
    if (type === 'toolCall') omitted.add(explain('omitted-unanswered-call'));
    else if (type === 'reasoning' && isOtherModel) omitted.add(explain('omitted-reasoning-of-another'));
    else return true;
    return false;
  });
}
