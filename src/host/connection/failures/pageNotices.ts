import * as vscode from 'vscode';
import type { ActionButton, Notice, ReplyAction } from '../../../protocol/pageMessage.ts';
import type { GatewayError } from '../../../wire/failures/gatewayError.ts';
import { joinNames } from '../../kit/display/joinNames.ts';
import { plainLine } from '../../kit/display/plainText.ts';
import { createActionButton, getActionLabel } from '../../kit/noticeActions.ts';
import type { ConnectionState } from '../connection.ts';
import { computeWaitMs, type FailureAction, type FailureMessage, failureMessage } from '../failureMessage.ts';

/** The maximum length of a field's name on a button, in UTF-16 units. */
const maxFieldLength = 60;

/** A notice with buttons on a page about the reason why a request failed or cannot be sent. */
export type PageNotice = Notice<ReplyAction>;

/** Creates the notice about the reason why no message can be sent; undefined if a message can be sent. */
export function createConnectionNotice(state: ConnectionState): PageNotice | undefined {
  if (state.gateway === undefined) {
    return {
      title: vscode.l10n.t('No gateway is connected'),
      detail: vscode.l10n.t('Connect to a gateway, or try the demo on this machine without an account.'),
      buttons: [createActionButton('connect'), createActionButton('try-demo')],
      severity: 'info',
    };
  }
  if (state.phase === 'failed' && state.error) {
    return createFailureNotice(state.error, (action) => (action === 'again' ? 'refresh-models' : action));
  }
  if (state.phase === 'ready' && state.models.length === 0) {
    return {
      title: vscode.l10n.t('The gateway lists no models for this account'),
      detail: vscode.l10n.t(
        'The account may have no models yet, or the credential may belong to another one.',
      ),
      buttons: [createActionButton('set-credential'), createActionButton('refresh-models')],
      severity: 'info',
    };
  }
  return undefined;
}

/** Creates the notice about a gateway without chat models. */
export function createNoChatModelNotice(gateway: string): PageNotice {
  return {
    title: vscode.l10n.t('{0} does not list any chat models', gateway),
    detail: vscode.l10n.t(
      'Its models seem to be for videos, embeddings or other uses. You can still choose one that can chat.',
    ),
    buttons: [
      { action: 'choose-model', label: vscode.l10n.t('Choose Model…') },
      createActionButton('refresh-models'),
    ],
    severity: 'info',
  };
}

/** Creates the notice about models that the gateway does not list. It is shown before the request is sent. */
export function createUnlistedModelNotice(gateway: string, models: readonly string[]): PageNotice {
  return {
    title:
      models.length === 1
        ? vscode.l10n.t('{0} does not list this model', gateway)
        : vscode.l10n.t('{0} does not list these models', gateway),
    detail: vscode.l10n.t(
      'Nothing was sent. Choose a listed model, or send again to use {0} anyway.',
      joinNames(models),
    ),
    buttons: [createActionButton('choose-model'), createActionButton('refresh-models')],
    severity: 'info',
  };
}

/** Creates the button of an action. It may contain the time to wait, or the name of the field to show. */
function createFailureButton(
  action: FailureAction,
  { field = '' }: GatewayError,
  message: FailureMessage,
): ActionButton<FailureAction> {
  const waitMs = computeWaitMs(action, message);
  const label =
    action === 'show-field'
      ? vscode.l10n.t('Show “{0}”', plainLine(field, maxFieldLength))
      : getActionLabel(action);
  return { action, label, ...(waitMs > 0 && { waitMs }) };
}

/**
 * Creates the notice about a failure.
 *
 * @param replaceAction returns the action to offer instead
 */
export function createFailureNotice(
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
      ...createFailureButton(action, error, message),
      action: replaceAction(action),
    })),
    severity: 'error',
  };
}
