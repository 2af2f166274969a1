import * as vscode from 'vscode';
import type { Turn } from '../../../conversations/conversation/turn.ts';
import type { ReplyNotice } from '../../../protocol/chatTurn.ts';
import type { GatewayError } from '../../../wire/failures/gatewayError.ts';
import { notConnected } from '../../connection/connection.ts';
import {
  createConnectionNotice,
  createNoChatModelNotice,
  createUnlistedModelNotice,
} from '../../connection/failures/pageNotices.ts';
import type { Gateway } from '../../connection/gateways.ts';
import { createActionButton } from '../../kit/noticeActions.ts';
import type { ChatGateway } from '../session/chatGateway.ts';

/**
 * Creates the notice about a chat's next question: a reason why it cannot be sent, or information about its target.
 *
 * @param model the model of the next question
 * @param last the last turn, whose own notice is not repeated
 */
export function createChatNotice(
  gateway: ChatGateway,
  model: string | undefined,
  last?: Turn,
): ReplyNotice | undefined {
  const { connection, boundTo, switchedTo, unlisted } = gateway;
  if (boundTo && !connection) return createGatewayRemovedNotice(boundTo);
  if (unlisted.length > 0) return createUnlistedModelNotice(connection?.gateway.name ?? '', unlisted);
  const state = connection?.state ?? notConnected;
  if (state.error && isAlreadyShown(state.error, last)) return undefined;
  const notice = createConnectionNotice(state);
  if (notice) return notice;
  if (connection && model === undefined && state.models.length > 0) {
    return createNoChatModelNotice(connection.gateway.name);
  }
  return switchedTo && createStayedNotice(connection?.gateway, switchedTo);
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

function createStayedNotice(own: Gateway | undefined, switchedTo: Gateway): ReplyNotice {
  return {
    title: vscode.l10n.t('This chat still uses {0}', own?.name ?? ''),
    detail: vscode.l10n.t('New chats use {0}. This chat uses it only if you move it.', switchedTo.name),
    buttons: [createActionButton('new-chat'), createActionButton('move-chat')],
    severity: 'info',
  };
}
