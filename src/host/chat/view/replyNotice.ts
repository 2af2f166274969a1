import * as vscode from 'vscode';
import { textOf } from '../../../conversations/conversation/reply.ts';
import { isEmpty, type Turn, type Unfinished } from '../../../conversations/conversation/turn.ts';
import type { ReplyNotice } from '../../../protocol/chatTurn.ts';
import type { GatewayError } from '../../../wire/failure.ts';
import { failureNotice } from '../../connection/failures/targetNotices.ts';
import { actionButton } from '../../kit/noticeActions.ts';

/** The notice under a reply that did not complete; undefined where there is nothing to tell. */
export function replyNotice(turn: Turn): ReplyNotice | undefined {
  const { result } = turn;
  if (result === undefined || turn.isEdited) return undefined;
  const { outcome } = result;
  switch (outcome.kind) {
    case 'complete':
      if (result.endReason === 'content-filter') return filteredNotice();
      return saidNothing(turn) ? emptyNotice() : undefined;
    case 'truncated':
      return truncatedNotice(turn);
    case 'cancelled':
      if (turn.unfinished) return unfinishedNotice(turn, turn.unfinished);
      return {
        title: vscode.l10n.t('Stopped'),
        detail: isEmpty(turn)
          ? vscode.l10n.t('You stopped this reply before any of it was received.')
          : vscode.l10n.t('You stopped this reply. Its received part is saved.'),
        buttons: hasText(turn) ? [actionButton('continue'), askAgain()] : [askAgain()],
        severity: 'info',
      };
    case 'pending':
      return undefined;
    case 'interrupted':
      return interruptedNotice(turn, outcome.error);
    case 'failed':
      return failedNotice(outcome.error);
  }
}

/** Without text there is nothing to go on with: the limit was used up before the answer began. */
function truncatedNotice(turn: Turn): ReplyNotice {
  const isContinuable = hasText(turn);
  return {
    title: vscode.l10n.t('Cut off at the output limit'),
    detail: isContinuable
      ? vscode.l10n.t('The model reached the most tokens it may write. Continue to get the rest.')
      : vscode.l10n.t(
          'The model used all the tokens it may write before it began its reply. Raise the output limit, then ask again.',
        ),
    buttons: isContinuable
      ? [actionButton('continue'), askAgain()]
      : [actionButton('open-parameters'), askAgain()],
    severity: 'info',
  };
}

/** A reply that nobody here saw end. */
function unfinishedNotice(turn: Turn, unfinished: Unfinished): ReplyNotice {
  if (unfinished === 'elsewhere') {
    return {
      title: vscode.l10n.t('This reply arrives in another window'),
      detail: vscode.l10n.t('Requests to it are shown here as well.'),
      buttons: [],
      severity: 'info',
    };
  }
  if (unfinished === 'missing') {
    return {
      title: vscode.l10n.t('There is no reply to this question'),
      detail: vscode.l10n.t('Ask it again, or edit it.'),
      buttons: [askAgain()],
      severity: 'info',
    };
  }
  return {
    title: vscode.l10n.t('Stopped when its window closed'),
    detail: isEmpty(turn)
      ? vscode.l10n.t('No part of this reply was received.')
      : vscode.l10n.t('Its received part is saved.'),
    buttons: hasText(turn) ? [actionButton('continue'), askAgain()] : [askAgain()],
    severity: 'info',
  };
}

function filteredNotice(): ReplyNotice {
  return {
    title: vscode.l10n.t('Stopped by the provider’s content filter'),
    detail: vscode.l10n.t('Rephrase the question, or choose a model with another filter.'),
    buttons: [actionButton('edit'), actionButton('choose-model'), askAgain()],
    severity: 'info',
  };
}

function emptyNotice(): ReplyNotice {
  return {
    title: vscode.l10n.t('An empty reply'),
    detail: vscode.l10n.t('The model ended its reply without any text. Ask again, or ask differently.'),
    buttons: [askAgain()],
    severity: 'info',
  };
}

function interruptedNotice(turn: Turn, error: GatewayError): ReplyNotice {
  const failure = failureNotice(error);
  const others = failure.buttons.filter(({ action }) => action !== 'again');
  return {
    ...failure,
    buttons: [...(hasText(turn) ? [actionButton('continue')] : []), askAgain(againOf(failure)), ...others],
  };
}

/** Once what helps was done, such as another model chosen, the question is asked again from here. */
function failedNotice(error: GatewayError): ReplyNotice {
  const failure = failureNotice(error);
  const at = failure.buttons.findIndex(({ action }) => action === 'again');
  const buttons =
    at === -1
      ? failure.buttons.toSpliced(1, 0, askAgain())
      : failure.buttons.with(at, askAgain(againOf(failure)));
  return { ...failure, buttons };
}

/** In words of its own: elsewhere the action repeats what is free. */
function askAgain(again = actionButton('again')): ReplyNotice['buttons'][number] {
  return { ...again, label: vscode.l10n.t('Ask Again') };
}

function againOf({ buttons }: ReplyNotice): ReplyNotice['buttons'][number] | undefined {
  return buttons.find(({ action }) => action === 'again');
}

/** Whether the replies hold nothing but reasoning, which is no answer. */
function saidNothing({ replies }: Turn): boolean {
  return replies.every(({ parts }) => parts.every(({ type }) => type === 'reasoning'));
}

function hasText({ replies }: Turn): boolean {
  return replies.some((reply) => textOf(reply) !== '');
}
