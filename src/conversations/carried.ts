import { type ContinuationForm, continuationRequest } from '../wire/continuation.ts';
import { Omissions } from '../wire/omissions.ts';
import { type Exchange, exchangeMessages, systemMessages, userMessage } from './history.ts';
import type { Messages } from './messages.ts';
import { hasText, textOf } from './reply.ts';
import type { Asking, History, Question } from './turn.ts';

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
