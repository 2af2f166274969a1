import { Omissions } from '../wire/omissions.ts';
import { type Exchange, exchangeMessages, questionMessages } from './history.ts';
import type { Messages } from './messages.ts';
import { hasText } from './reply.ts';
import type { History, Prompt, Question } from './turn.ts';

/** Asks a model to go on, where the chat shows no question. */
const continuation: Prompt = {
  text: 'Continue exactly where you stopped, without repeating anything.',
  images: [],
};

/** Whether a turn goes along with later questions: its reply has text. */
export function carries(messages: Messages, turnId: string): boolean {
  return messages.chain(turnId).some(({ replies: [first] }) => hasText(first));
}

/** The messages for the request of an answer. */
export function historyFor(messages: Messages, answerId: string): History {
  const answer = messages.answer(answerId);
  if (!answer) return { messages: [], omitted: [] };
  const parent = messages.tree.parent(answerId);
  if (parent === undefined || !messages.isQuestion(parent)) {
    return historyAfter(messages, parent, { ...continuation, ...answer.asked });
  }
  const question = { ...messages.prompt(parent), ...answer.asked };
  return historyAfter(messages, messages.tree.parent(parent), question);
}

/** The messages for a question after an answer. */
export function historyAfter(messages: Messages, after: string | undefined, question: Question): History {
  const omitted = new Omissions();
  const before = carriedUpTo(messages, after).flatMap((exchange) =>
    exchangeMessages(exchange, question, omitted),
  );
  return { messages: questionMessages(question, before), omitted: omitted.all };
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
