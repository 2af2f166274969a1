import * as vscode from 'vscode';
import { demoQuestions } from '../../../base/demoQuestions.ts';
import { chatCost } from '../../../conversations/cost/chatCost.ts';
import type { ChatFields, ChatTarget } from '../../../protocol/chatPage.ts';
import { textFormat } from '../../../wire/apis/textFormats.ts';
import type { Gateway } from '../../connection/gateways.ts';
import { isDemoModel } from '../../models/demoModels.ts';
import type { ChatSession } from '../chatSession.ts';
import { contextViews } from '../context/contextView.ts';
import type { Deleted } from '../deletedMessages.ts';
import type { ChatParametersPage } from '../parameters/chatParametersPage.ts';
import { chatNotice, leftOut } from './chatView.ts';
import { chatCostWords } from './costWords.ts';
import { keepingNotice } from './keepingNotice.ts';

/** What only the tab of a chat knows of what its page shows. */
type TabFields = Pick<ChatFields, 'wrapsCode' | 'completionTriggers' | 'promptForm' | 'schemaChecks'>;

/** The state that the page of a chat shows now, besides the turns. */
export function chatFields(
  session: ChatSession,
  { count, systemPrompt, state }: ChatParametersPage,
  fields: TabFields,
): ChatFields {
  const { conversation, unsent } = session;
  return {
    leftOut: leftOut(conversation),
    target: chatTarget(session, count),
    attachments: unsent.attachments.images.map(({ mimeType, data }) => ({ mimeType, data })),
    context: contextViews(unsent.context.entries),
    queued: queuedView(session),
    deleted: deletedView(session),
    systemPrompt,
    parameters: state,
    ...fields,
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

/** The question that waits for the end of a reply. */
function queuedView({ unsent: { queue } }: ChatSession): ChatFields['queued'] {
  const { waiting } = queue;
  if (!waiting) return null;
  return { text: waiting.text, pictures: waiting.images.length, files: waiting.context?.length ?? 0 };
}

/** What was deleted and can be brought back. */
function deletedView({ deleted: { last } }: ChatSession): ChatFields['deleted'] {
  return last ? { id: last.id, text: deletedWords(last) } : null;
}

/** Says how much was deleted, as a sentence. */
function deletedWords({ messages, branches }: Deleted): string {
  const count = (n: number) => n.toLocaleString(vscode.env.language);
  if (messages === 1) return vscode.l10n.t('1 message was deleted.');
  if (branches === 1) return vscode.l10n.t('{0} messages were deleted.', count(messages));
  return vscode.l10n.t('{0} messages on {1} branches were deleted.', count(messages), count(branches));
}

/**
 * Questions for an empty chat. The demo answers only its own, in the language they are written in.
 *
 * @param model the one that the chat asks, once it is known
 */
function suggestionsFor(gateway: Gateway | undefined, model: string | undefined): readonly string[] {
  if (gateway === undefined || model === undefined) return [];
  if (isDemoModel(gateway, model)) return Object.values(demoQuestions);
  return [
    vscode.l10n.t('Write a TypeScript function that retries a request with backoff, and explain it.'),
    vscode.l10n.t('Explain race conditions with a short example, and how to avoid them.'),
    vscode.l10n.t('Compare REST, GraphQL and gRPC for a small team, as a table.'),
  ];
}
