import * as vscode from 'vscode';
import { demoQuestions } from '../../../base/demoQuestions.ts';
import { chatCost } from '../../../conversations/cost/chatCost.ts';
import type { ChatFields, ChatTarget } from '../../../protocol/chatPage.ts';
import { textFormat } from '../../../wire/apis/textFormats.ts';
import type { Gateway } from '../../connection/gateways.ts';
import { isDemoModel } from '../../models/demoModels.ts';
import { contextViews } from '../context/contextView.ts';
import type { ChatParametersPage } from '../parameters/chatParametersPage.ts';
import type { ChatSession } from '../session/chatSession.ts';
import type { DeletionSummary } from '../session/deletedMessages.ts';
import { chatCostWords } from '../view/costWords.ts';
import { notStoredNotice } from '../view/notStoredNotice.ts';
import { excludedTurnIds } from '../view/turnViews.ts';
import { chatNotice } from './chatNotice.ts';

/** The fields that do not come from the session, but from the tab of the chat. */
type TabFields = Pick<ChatFields, 'wrapsCode' | 'completionTriggers' | 'promptForm' | 'schemaChecks'>;

/** The current state of a chat's page, without the turns. */
export function chatFields(
  session: ChatSession,
  { count, systemPrompt, state }: ChatParametersPage,
  fields: TabFields,
): ChatFields {
  const { conversation, unsent } = session;
  return {
    excludedTurns: excludedTurnIds(conversation),
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

/** The target of the chat's next question, with its notice and costs. */
export function chatTarget(session: ChatSession, parametersSet: number): ChatTarget {
  const { target, conversation } = session;
  const { gateway, model } = target;
  const { label, shortLabel } = textFormat(target.format);
  const { storageFailure } = session;
  const notice = storageFailure
    ? notStoredNotice(storageFailure)
    : chatNotice(gateway, model, conversation.last);
  const cost = chatCostWords(chatCost(conversation.messages));
  return {
    gateway: (gateway.connection?.gateway ?? gateway.boundTo)?.name,
    model,
    ...(model === undefined && gateway.connection?.state.phase === 'loading' && { isLoading: true }),
    format: label,
    formatShort: shortLabel,
    ...(target.isFormatChanged && { isFormatChanged: true }),
    parametersSet,
    ...(session.models.length > 1 && { compared: session.models }),
    ...(conversation.comparison.isShown && { isComparing: true }),
    ...(cost !== undefined && { cost }),
    ...(notice && { notice }),
    suggestions: suggestionsFor(gateway.connection?.gateway, model),
  };
}

/** The question that is sent after the current reply. */
function queuedView({ unsent: { queue } }: ChatSession): ChatFields['queued'] {
  const { waiting } = queue;
  if (!waiting) return null;
  return { text: waiting.text, pictures: waiting.images.length, files: waiting.context?.length ?? 0 };
}

/** The last deletion, which can be undone. */
function deletedView({ deleted: { last } }: ChatSession): ChatFields['deleted'] {
  return last ? { id: last.id, text: deletedWords(last) } : null;
}

/** The number of deleted messages, as a sentence. */
function deletedWords({ messages, branches }: DeletionSummary): string {
  const count = (n: number) => n.toLocaleString(vscode.env.language);
  if (messages === 1) return vscode.l10n.t('1 message was deleted.');
  if (branches === 1) return vscode.l10n.t('{0} messages were deleted.', count(messages));
  return vscode.l10n.t('{0} messages on {1} branches were deleted.', count(messages), count(branches));
}

/**
 * Suggested questions for an empty chat. The demo replies only to its own questions.
 *
 * @param model the chat's model, once it is known
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
