import * as vscode from 'vscode';
import type { ActionButton, Notice } from '../../../protocol/notice.ts';
import type { ReplyAction } from '../../../protocol/pageMessage.ts';
import type { GatewayError } from '../../../wire/failures/gatewayError.ts';
import { joinNames } from '../../kit/display/joinNames.ts';
import { plainLine } from '../../kit/display/plainText.ts';
import { actionButton, actionLabel } from '../../kit/noticeActions.ts';
import type { ConnectionState } from '../connection.ts';
import {
  type FailureAction,
  type FailureMessage,
  failureMessage,
  remainingWaitMs,
} from '../failureMessage.ts';

/** The longest name of a field on a button, in UTF-16 units. */
const maxFieldLength = 60;

/** A notice on a page about an obstacle to a request, with buttons. */
export type PageNotice = Notice<ReplyAction>;

/** The notice about an obstacle to sending a message; undefined if there is none. */
export function connectionNotice(state: ConnectionState): PageNotice | undefined {
  if (state.gateway === undefined) {
    return {
      title: vscode.l10n.t('No gateway is connected'),
      detail: vscode.l10n.t('Connect to a gateway, or try the demo on this machine without an account.'),
      buttons: [actionButton('connect'), actionButton('try-demo')],
      severity: 'info',
    };
  }
  if (state.phase === 'failed' && state.error) {
    return failureNotice(state.error, (action) => (action === 'again' ? 'refresh-models' : action));
  }
  if (state.phase === 'ready' && state.models.length === 0) {
    return {
      title: vscode.l10n.t('The gateway lists no models for this account'),
      detail: vscode.l10n.t(
        'The account may have no models yet, or the credential may belong to another one.',
      ),
      buttons: [actionButton('set-credential'), actionButton('refresh-models')],
      severity: 'info',
    };
  }
  return undefined;
}

/** The notice about a gateway whose models all have other uses than chat. */
export function noChatModelNotice(gateway: string): PageNotice {
  return {
    title: vscode.l10n.t('{0} does not list any chat models', gateway),
    detail: vscode.l10n.t(
      'Its models seem to be for videos, embeddings or other uses. You can still choose one that can chat.',
    ),
    buttons: [
      { action: 'choose-model', label: vscode.l10n.t('Choose Model…') },
      actionButton('refresh-models'),
    ],
    severity: 'info',
  };
}

/** The notice about a model that the gateway does not list. It is shown before the request is sent. */
export function unlistedModelNotice(gateway: string, models: readonly string[]): PageNotice {
  return {
    title:
      models.length === 1
        ? vscode.l10n.t('{0} does not list this model', gateway)
        : vscode.l10n.t('{0} does not list these models', gateway),
    detail: vscode.l10n.t(
      'Nothing was sent. Choose a listed model, or send again to use {0} anyway.',
      joinNames(models),
    ),
    buttons: [actionButton('choose-model'), actionButton('refresh-models')],
    severity: 'info',
  };
}

/** The button of an action, with the time to wait, or with the name of the field to show. */
function failureButton(
  action: FailureAction,
  { field = '' }: GatewayError,
  message: FailureMessage,
): ActionButton<FailureAction> {
  const waitMs = remainingWaitMs(action, message);
  const label =
    action === 'show-field'
      ? vscode.l10n.t('Show “{0}”', plainLine(field, maxFieldLength))
      : actionLabel(action);
  return { action, label, ...(waitMs > 0 && { waitMs }) };
}

/**
 * The notice about a failure.
 *
 * @param replaceAction returns the action to offer instead
 */
export function failureNotice(
  error: GatewayError,
  replaceAction: (action: FailureAction) => FailureAction = (action) => action,
): PageNotice {
  const message = failureMessage(error);
  return {
    title: message.sentence,
    detail: message.quote,
    ...(message.requestId && { requestId: message.requestId }),
    ...(message.gatewayRequestId && { gatewayRequestId: message.gatewayRequestId }),
    buttons: message.actions.map((action) => ({
      ...failureButton(action, error, message),
      action: replaceAction(action),
    })),
    severity: 'error',
  };
}
