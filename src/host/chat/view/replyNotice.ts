import * as vscode from 'vscode';
import { hasText } from '../../../conversations/conversation/reply.ts';
import { isEmptyTurn, type Turn, type Unfinished } from '../../../conversations/conversation/turn.ts';
import type { ReplyNotice } from '../../../protocol/chatTurn.ts';
import type { GatewayError } from '../../../wire/failures/gatewayError.ts';
import { createFailureNotice } from '../../connection/failures/pageNotices.ts';
import { createActionButton } from '../../kit/noticeActions.ts';

/** Creates the notice under an incomplete or empty reply; undefined if no notice is needed. */
export function createReplyNotice(turn: Turn): ReplyNotice | undefined {
  const { result } = turn;
  if (result === undefined || turn.isEdited) return undefined;
  const { outcome } = result;
  switch (outcome.kind) {
    case 'complete':
      if (result.endReason === 'content-filter') return createFilteredNotice();
      return hasOnlyReasoning(turn) ? createEmptyNotice() : undefined;
    case 'truncated':
      return createTruncatedNotice(turn);
    case 'cancelled':
      if (turn.unfinished) return createUnfinishedNotice(turn, turn.unfinished);
      return {
        title: vscode.l10n.t('Stopped'),
        detail: isEmptyTurn(turn)
          ? vscode.l10n.t('You stopped this reply before any of it was received.')
          : vscode.l10n.t('You stopped this reply. The received part is saved.'),
        buttons: createContinueButtons(turn),
        severity: 'info',
      };
    case 'pending':
      return undefined;
    case 'interrupted':
      return createInterruptedNotice(turn, outcome.error);
    case 'failed':
      return createFailedNotice(outcome.error);
  }
}

/** Creates the notice for a reply that reached the output limit. A reply without text cannot be continued. */
function createTruncatedNotice(turn: Turn): ReplyNotice {
  const isContinuable = turn.replies.some(hasText);
  return {
    title: vscode.l10n.t('Cut off at the output limit'),
    detail: isContinuable
      ? vscode.l10n.t('The model reached its output limit. Continue to get the rest.')
      : vscode.l10n.t(
          'The model reached its output limit before it began its reply. Raise the output limit, then ask again.',
        ),
    buttons: isContinuable
      ? [createActionButton('continue'), createAskAgainButton()]
      : [createActionButton('open-parameters'), createAskAgainButton()],
    severity: 'info',
  };
}

/** Creates the notice for a reply whose end was not received in this window. */
function createUnfinishedNotice(turn: Turn, unfinished: Unfinished): ReplyNotice {
  if (unfinished === 'elsewhere') {
    return {
      title: vscode.l10n.t('This reply is being received in another window'),
      detail: vscode.l10n.t('Content that arrives there is also shown here.'),
      buttons: [],
      severity: 'info',
    };
  }
  if (unfinished === 'missing') {
    return {
      title: vscode.l10n.t('There is no reply to this question'),
      detail: vscode.l10n.t('Ask again or edit the question.'),
      buttons: [createAskAgainButton()],
      severity: 'info',
    };
  }
  return {
    title: vscode.l10n.t('Stopped when its window closed'),
    detail: isEmptyTurn(turn)
      ? vscode.l10n.t('No part of this reply was received.')
      : vscode.l10n.t('The part received so far is saved.'),
    buttons: createContinueButtons(turn),
    severity: 'info',
  };
}

/** Creates the buttons for a stopped reply. A reply without text cannot be continued. */
function createContinueButtons(turn: Turn): ReplyNotice['buttons'] {
  return turn.replies.some(hasText)
    ? [createActionButton('continue'), createAskAgainButton()]
    : [createAskAgainButton()];
}

function createFilteredNotice(): ReplyNotice {
  return {
    title: vscode.l10n.t('Stopped by the provider’s content filter'),
    detail: vscode.l10n.t('Rephrase the question, or choose a model with a different content filter.'),
    buttons: [createActionButton('edit'), createActionButton('choose-model'), createAskAgainButton()],
    severity: 'info',
  };
}

function createEmptyNotice(): ReplyNotice {
  return {
    title: vscode.l10n.t('Empty reply'),
    detail: vscode.l10n.t('The model ended its reply without any text. Ask again, or ask differently.'),
    buttons: [createAskAgainButton()],
    severity: 'info',
  };
}

function createInterruptedNotice(turn: Turn, error: GatewayError): ReplyNotice {
  const failure = createFailureNotice(error);
  const others = failure.buttons.filter(({ action }) => action !== 'again');
  return {
    ...failure,
    buttons: [
      ...(turn.replies.some(hasText) ? [createActionButton('continue')] : []),
      createAskAgainButton(findAgainButton(failure)),
      ...others,
    ],
  };
}

/** Creates the notice for a failed request. It always has an Ask Again button, for use with another model. */
function createFailedNotice(error: GatewayError): ReplyNotice {
  const failure = createFailureNotice(error);
  const index = failure.buttons.findIndex(({ action }) => action === 'again');
  const buttons =
    index === -1
      ? failure.buttons.toSpliced(1, 0, createAskAgainButton())
      : failure.buttons.with(index, createAskAgainButton(findAgainButton(failure)));
  return { ...failure, buttons };
}

/** Creates the button for the action `again`. Its label differs from other notices, whose retry is free of charge. */
function createAskAgainButton(again = createActionButton('again')): ReplyNotice['buttons'][number] {
  return { ...again, label: vscode.l10n.t('Ask Again') };
}

function findAgainButton({ buttons }: ReplyNotice): ReplyNotice['buttons'][number] | undefined {
  return buttons.find(({ action }) => action === 'again');
}

/** Whether the replies are empty or contain only reasoning. */
function hasOnlyReasoning({ replies }: Turn): boolean {
  return replies.every(({ parts }) => parts.every(({ type }) => type === 'reasoning'));
}
