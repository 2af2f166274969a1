import { chatCost } from '../../../conversations/cost/chatCost.ts';
import type { ChatState, ChatTarget } from '../../../protocol/chatPage.ts';
import type { CompletionTrigger } from '../../../protocol/completion.ts';
import { textFormat } from '../../../wire/apis/textFormats.ts';
import type { ChatSession } from '../chatSession.ts';
import { contextViews } from '../context/contextView.ts';
import type { ChatParametersPage } from '../parameters/chatParametersPage.ts';
import { chatNotice, comparisonView, leftOut } from './chatView.ts';
import { chatCostWords } from './costWords.ts';
import { deletedWords } from './deletedWords.ts';
import { keepingNotice } from './keepingNotice.ts';
import { suggestionsFor } from './suggestions.ts';

/** The state of a chat as its page shows it, with these turns. */
export function chatState(
  session: ChatSession,
  shown: Pick<ChatState, 'turns' | 'earlier'>,
  { count, systemPrompt }: ChatParametersPage,
  wrapsCode: boolean,
  completionTriggers: readonly CompletionTrigger[],
): ChatState {
  const { conversation } = session;
  return {
    chat: session.id,
    draft: session.unsent.text,
    ...shown,
    comparison: comparisonView(conversation),
    leftOut: leftOut(conversation),
    target: chatTarget(session, count),
    attachments: attachmentViews(session),
    context: contextViews(session.unsent.context.entries),
    queued: queuedView(session),
    ...deletedView(session),
    wrapsCode,
    systemPrompt,
    completionTriggers,
  };
}

/** Whom a chat asks next, and what is to be known of that. */
export function chatTarget(session: ChatSession, parametersSet: number): ChatTarget {
  const { target, conversation } = session;
  const { gateway, model } = target;
  const { label, shortLabel } = textFormat(target.format);
  const { keepingProblem } = session;
  const notice = keepingProblem
    ? keepingNotice(keepingProblem)
    : chatNotice(gateway, model, conversation.last);
  const cost = chatCostWords(chatCost(conversation.messages));
  return {
    gateway: (gateway.now?.gateway ?? gateway.begunWith)?.name,
    model,
    ...(model === undefined && gateway.now?.state.phase === 'loading' && { isLoading: true }),
    format: label,
    formatShort: shortLabel,
    ...(target.isFormatChanged && { isFormatChanged: true }),
    parametersSet,
    ...(session.models.length > 1 && { compared: session.models }),
    ...(conversation.comparison.isShown && { isComparing: true }),
    ...(cost !== undefined && { cost }),
    ...(notice && { notice }),
    suggestions: suggestionsFor(gateway.now?.gateway, model),
  };
}

/** The pictures that go along with the next question. */
export function attachmentViews({ unsent: { attachments } }: ChatSession): ChatState['attachments'] {
  return attachments.images.map(({ mimeType, data }) => ({ mimeType, data }));
}

/** The question that waits for the end of a reply. */
export function queuedView({ unsent: { queue } }: ChatSession): ChatState['queued'] {
  const { waiting } = queue;
  if (!waiting) return undefined;
  return { text: waiting.text, pictures: waiting.images.length, files: waiting.context?.length ?? 0 };
}

/** What was deleted and can be brought back. */
export function deletedView({ deleted: { last } }: ChatSession): Pick<ChatState, 'deleted'> {
  return last ? { deleted: deletedWords(last) } : {};
}
