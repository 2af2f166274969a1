import * as vscode from 'vscode';
import { demoQuestions } from '../../../base/demoQuestions.ts';
import { sumChatCost } from '../../../conversations/conversation/cost.ts';
import type { Turn } from '../../../conversations/conversation/turn.ts';
import type { ChatFields, ChatTarget } from '../../../protocol/chatPage.ts';
import type { ReplyNotice } from '../../../protocol/chatTurn.ts';
import type { ReadOnlyCause, StorageErrorKind } from '../../../storage/sqlite/storageError.ts';
import { textFormat } from '../../../wire/apis/textFormats.ts';
import type { GatewayError } from '../../../wire/failures/gatewayError.ts';
import { notConnected } from '../../connection/connection.ts';
import {
  createConnectionNotice,
  createNoChatModelNotice,
  createUnlistedModelNotice,
} from '../../connection/failures/pageNotices.ts';
import type { Gateway } from '../../connection/gateways.ts';
import { formatCount } from '../../kit/countWords.ts';
import { describeStorageProblem, errorText } from '../../kit/display/storageNotice.ts';
import { createActionButton } from '../../kit/noticeActions.ts';
import { isDemoModel } from '../../models/demoModels.ts';
import { createContextViews } from '../context/contextView.ts';
import type { ChatParametersPage } from '../parameters/chatParametersPage.ts';
import type { ChatGateway } from '../session/chatGateway.ts';
import type { ChatSession, ChatStorageFailure } from '../session/chatSession.ts';
import type { DeletionSummary } from '../session/deletedMessages.ts';
import { describeChatCost } from '../view/replyFigures.ts';
import { findExcludedTurnIds } from '../view/turnViews.ts';

/** The fields that the tab of a chat provides instead of its session. */
type TabFields = Pick<ChatFields, 'wrapsCode' | 'completionTriggers' | 'promptForm' | 'schemaChecks'>;

/** Creates the current state of a chat's page, without the turns. */
export function createChatFields(
  session: ChatSession,
  { count, systemPrompt, state }: ChatParametersPage,
  fields: TabFields,
): ChatFields {
  const { conversation, unsent } = session;
  return {
    excludedTurns: findExcludedTurnIds(conversation),
    target: createChatTarget(session, count),
    attachments: unsent.attachments.images.map(({ mimeType, data }) => ({ mimeType, data })),
    context: createContextViews(unsent.context.entries),
    queued: createQueuedView(session),
    deleted: createDeletedView(session),
    systemPrompt,
    parameters: state,
    ...fields,
  };
}

/** Describes the target of the chat's next question, with its notice and the chat's cost. */
export function createChatTarget(session: ChatSession, parametersSet: number): ChatTarget {
  const { target, conversation } = session;
  const { gateway, model } = target;
  const { label, shortLabel } = textFormat(target.format);
  const { storageFailure } = session;
  const notice = storageFailure
    ? createNotStoredNotice(storageFailure)
    : createChatNotice(gateway, model, conversation.lastTurn);
  const cost = describeChatCost(sumChatCost(conversation.messages));
  return {
    gateway: (gateway.connection?.gateway ?? gateway.boundGateway)?.name,
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
    suggestions: listSuggestions(gateway.connection?.gateway, model),
  };
}

/** Describes the question that is sent after the current reply. */
function createQueuedView({ unsent: { queue } }: ChatSession): ChatFields['queued'] {
  const { waiting } = queue;
  if (!waiting) return null;
  return { text: waiting.text, pictures: waiting.images.length, files: waiting.context?.length ?? 0 };
}

/** Describes the last deletion, which can be undone. */
function createDeletedView({ deletedMessages: { last } }: ChatSession): ChatFields['deleted'] {
  return last ? { id: last.id, text: describeDeletion(last) } : null;
}

/** Describes the number of deleted messages in a sentence. */
function describeDeletion({ messages, branches }: DeletionSummary): string {
  if (messages === 1) return vscode.l10n.t('1 message was deleted.');
  if (branches === 1) return vscode.l10n.t('{0} messages were deleted.', formatCount(messages));
  return vscode.l10n.t(
    '{0} messages on {1} branches were deleted.',
    formatCount(messages),
    formatCount(branches),
  );
}

/**
 * Lists suggested questions for an empty chat. The demo replies only to its own questions.
 *
 * @param model the model of the chat; undefined while it is unknown
 */
function listSuggestions(gateway: Gateway | undefined, model: string | undefined): readonly string[] {
  if (gateway === undefined || model === undefined) return [];
  if (isDemoModel(gateway, model)) return Object.values(demoQuestions);
  return [
    vscode.l10n.t('Write a TypeScript function that retries a request with backoff, and explain it.'),
    vscode.l10n.t('Explain race conditions with a short example, and how to avoid them.'),
    vscode.l10n.t('Compare REST, GraphQL and gRPC for a small team, as a table.'),
  ];
}

/**
 * Creates the notice about a chat's next question: the reason why it cannot be sent, or information about its target.
 *
 * @param model the model of the next question
 * @param last the last turn. A failure in its notice is not repeated.
 */
export function createChatNotice(
  gateway: ChatGateway,
  model: string | undefined,
  last?: Turn,
): ReplyNotice | undefined {
  const { connection, boundGateway, newWindowGateway, unlistedModels } = gateway;
  if (boundGateway && !connection) return createGatewayRemovedNotice(boundGateway);
  if (unlistedModels.length > 0)
    return createUnlistedModelNotice(connection?.gateway.name ?? '', unlistedModels);
  const state = connection?.state ?? notConnected;
  if (state.error && isAlreadyShown(state.error, last)) return undefined;
  const notice = createConnectionNotice(state);
  if (notice) return notice;
  if (connection && model === undefined && state.models.length > 0) {
    return createNoChatModelNotice(connection.gateway.name);
  }
  return newWindowGateway && createStayedNotice(connection?.gateway, newWindowGateway);
}

/** Whether the notice under the last reply already shows the same failure. */
function isAlreadyShown({ kind }: GatewayError, last: Turn | undefined): boolean {
  const outcome = last?.result?.outcome;
  return outcome !== undefined && 'error' in outcome && outcome.error.kind === kind;
}

function createGatewayRemovedNotice({ name }: Gateway): ReplyNotice {
  return {
    title: vscode.l10n.t('This chat’s gateway was removed'),
    detail: vscode.l10n.t(
      '{0} was removed, or its address changed. Nothing is sent from this chat until you move it to a gateway.',
      name,
    ),
    buttons: [createActionButton('move-chat'), createActionButton('new-chat')],
    severity: 'info',
  };
}

function createStayedNotice(own: Gateway | undefined, newWindowGateway: Gateway): ReplyNotice {
  return {
    title: vscode.l10n.t('This chat still uses {0}', own?.name ?? ''),
    detail: vscode.l10n.t('New chats use {0}. This chat uses it only if you move it.', newWindowGateway.name),
    buttons: [createActionButton('new-chat'), createActionButton('move-chat')],
    severity: 'info',
  };
}

const causes: { readonly [Kind in StorageErrorKind]?: ReadOnlyCause } = {
  full: 'full',
  'read-only': 'unwritable',
  io: 'disk-error',
};

/** Creates the notice that a chat cannot be stored, with the reason and advice. */
function createNotStoredNotice({ problem, file }: ChatStorageFailure): ReplyNotice {
  const { readOnly, kind } = problem;
  const cause = readOnly ?? causes[kind];
  const reason = cause
    ? describeStorageProblem(cause, file, vscode.l10n.t('chat file'))
    : vscode.l10n.t('The chat file cannot be written ({0}). {1}', file, errorText(problem));
  return {
    title: vscode.l10n.t('This chat cannot be saved at the moment'),
    detail: vscode.l10n.t('{0} {1}', reason, describeConsequence(cause)),
    buttons: [createActionButton('show-log')],
    severity: 'error',
  };
}

function describeConsequence(cause: ReadOnlyCause | undefined): string {
  return cause === 'newer'
    ? vscode.l10n.t(
        'You can use the chat until this window closes; then it is lost. Copy anything that you want to keep.',
      )
    : vscode.l10n.t('You can continue the chat; it is saved as soon as possible.');
}
