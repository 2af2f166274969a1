import * as vscode from 'vscode';
import type { Turn } from '../../conversations/conversation.ts';
import { textOf } from '../../conversations/reply.ts';
import type * as page from '../../protocol/chatPage.ts';
import type { GatewayError } from '../../wire/failure.ts';
import { notConnected } from '../connection/connection.ts';
import type { Gateway } from '../connection/gateways.ts';
import { explanationWords } from '../explanationWords.ts';
import { actionButton } from '../noticeActions.ts';
import { failureNotice, targetNotice, unlistedNotice } from '../targetNotices.ts';
import type { ChatGateway } from './chatGateway.ts';
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
    figures: figures(turn),
    omitted: turn.omitted.map(explanationWords),
    ...(notice && { notice }),
    ...(turn.result === undefined && { waitedMs: performance.now() - turn.askedAt }),
  };
}

/** The notice about a chat's next question: what prevents it, or what to know before it. */
export function chatNotice(gateway: ChatGateway): page.ReplyNotice | undefined {
  const { now, begunWith, switchedTo, unlisted } = gateway;
  if (begunWith && !now) return goneNotice(begunWith);
  if (unlisted !== undefined) return unlistedNotice(now?.gateway.name ?? '', unlisted);
  return targetNotice(now?.state ?? notConnected) ?? (switchedTo && stayedNotice(now?.gateway, switchedTo));
}

function goneNotice({ name }: Gateway): page.ReplyNotice {
  return {
    title: vscode.l10n.t('The gateway of this chat is not there any more'),
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
    detail: vscode.l10n.t(
      'New chats ask {0}. Nothing of this one goes there unless you move it.',
      switchedTo.name,
    ),
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

/** Whether the replies hold nothing but reasoning, which is no answer. */
function saidNothing({ replies }: Turn): boolean {
  return replies.every(({ parts }) => parts.every(({ type }) => type === 'reasoning'));
}

function hasText({ replies }: Turn): boolean {
  return replies.some((reply) => textOf(reply) !== '');
}

function figures(turn: Turn): page.ReplyFigures {
  const { result } = turn;
  if (result === undefined || isEmpty(turn)) return {};
  const { usage, firstTokenMs, totalMs, finishReason } = result;
  return {
    inputTokens: usage?.inputTokens,
    outputTokens: usage?.outputTokens,
    firstTokenMs,
    totalMs,
    tokensPerSecond: tokensPerSecond(usage?.outputTokens, firstTokenMs, totalMs),
    finishReason,
    // A failure's notice shows it beside ours.
    ...('error' in result.outcome ? {} : { gatewayRequestId: result.gatewayRequestId }),
  };
}

function tokensPerSecond(
  tokens: number | undefined,
  firstTokenMs: number | undefined,
  totalMs: number,
): number | undefined {
  if (tokens === undefined || firstTokenMs === undefined || totalMs <= firstTokenMs) return undefined;
  return (tokens * 1000) / (totalMs - firstTokenMs);
}

function replyNotice(turn: Turn): page.ReplyNotice | undefined {
  const { result } = turn;
  if (result === undefined) return undefined;
  const { outcome } = result;
  switch (outcome.kind) {
    case 'complete':
      return saidNothing(turn) ? emptyNotice() : undefined;
    case 'truncated':
      return {
        title: vscode.l10n.t('Cut off at the output limit'),
        detail: vscode.l10n.t('The model reached the most tokens it may write. Continue to get the rest.'),
        buttons: [actionButton('continue'), actionButton('again')],
        severity: 'info',
      };
    case 'cancelled':
      return {
        title: vscode.l10n.t('Stopped'),
        detail: vscode.l10n.t('You stopped this reply; what had arrived is kept.'),
        buttons: hasText(turn) ? [actionButton('continue'), actionButton('again')] : [actionButton('again')],
        severity: 'info',
      };
    case 'pending':
      return undefined;
    case 'interrupted':
      return interruptedNotice(turn, outcome.error);
    case 'failed':
      return failureNotice(outcome.error);
  }
}

function emptyNotice(): page.ReplyNotice {
  return {
    title: vscode.l10n.t('An empty reply'),
    detail: vscode.l10n.t(
      'The model ended its reply without writing anything. Ask again, or ask differently.',
    ),
    buttons: [actionButton('again')],
    severity: 'info',
  };
}

function interruptedNotice(turn: Turn, error: GatewayError): page.ReplyNotice {
  const failure = failureNotice(error);
  const others = failure.buttons.filter(({ action }) => action !== 'again');
  return {
    ...failure,
    title: vscode.l10n.t('The reply was cut off'),
    buttons: [...(hasText(turn) ? [actionButton('continue')] : []), actionButton('again'), ...others],
  };
}
