import * as vscode from 'vscode';
import type { Turn } from '../../conversations/conversation.ts';
import type * as page from '../../protocol/chatPage.ts';
import { notConnected } from '../connection/connection.ts';
import type { Gateway } from '../connection/gateways.ts';
import { explanationWords } from '../explanationWords.ts';
import { actionButton } from '../noticeActions.ts';
import { noChatModelNotice, targetNotice, unlistedNotice } from '../targetNotices.ts';
import type { ChatGateway } from './chatGateway.ts';
import { replyFigures } from './replyFigures.ts';
import { replyNotice } from './replyNotice.ts';
import { imageView, replyView } from './replyView.ts';

/** A turn of the conversation as the page shows it. */
export function turnView(turn: Turn): page.Turn {
  const notice = replyNotice(turn);
  return {
    id: turn.id,
    question: turn.question.text,
    images: turn.question.images.map(imageView),
    model: turn.question.model,
    state: turnState(turn),
    replies: turn.replies.map(replyView),
    figures: replyFigures(turn),
    omitted: turn.omitted.map(explanationWords),
    ...(notice && { notice }),
    ...(turn.result === undefined && { waitedMs: performance.now() - turn.askedAt }),
  };
}

/**
 * The notice about a chat's next question: what prevents it, or what to know before it.
 *
 * @param model the model that would be asked
 */
export function chatNotice(gateway: ChatGateway, model: string | undefined): page.ReplyNotice | undefined {
  const { now, begunWith, switchedTo, unlisted } = gateway;
  if (begunWith && !now) return goneNotice(begunWith);
  if (unlisted !== undefined) return unlistedNotice(now?.gateway.name ?? '', unlisted);
  const notice = targetNotice(now?.state ?? notConnected);
  if (notice) return notice;
  if (now && model === undefined && now.state.models.length > 0) return noChatModelNotice(now.gateway.name);
  return switchedTo && stayedNotice(now?.gateway, switchedTo);
}

function goneNotice({ name }: Gateway): page.ReplyNotice {
  return {
    title: vscode.l10n.t('This chat’s gateway is gone'),
    detail: vscode.l10n.t(
      '{0} was removed, or has another address now. Nothing is sent from this chat until you move it to a gateway.',
      name,
    ),
    buttons: [actionButton('move-chat'), actionButton('new-chat')],
    severity: 'info',
  };
}

function stayedNotice(own: Gateway | undefined, switchedTo: Gateway): page.ReplyNotice {
  return {
    title: vscode.l10n.t('This chat stays with {0}', own?.name ?? ''),
    detail: vscode.l10n.t('New chats go to {0}. This one goes there only if you move it.', switchedTo.name),
    buttons: [actionButton('new-chat'), actionButton('move-chat')],
    severity: 'info',
  };
}

function turnState(turn: Turn): page.Turn['state'] {
  if (turn.result) return 'done';
  return isEmpty(turn) ? 'waiting' : 'streaming';
}

function isEmpty({ replies }: Turn): boolean {
  return replies.every(({ parts }) => parts.length === 0);
}
