import * as vscode from 'vscode';
import type { ReplyAction } from '../protocol/pageMessage.ts';
import type { FailureKind, GatewayError } from '../wire/failure.ts';
import { CredentialLostError } from './connection/credentials.ts';
import { clipped } from './display/plainText.ts';
import { explanationWords } from './explanationWords.ts';

/** The actions beside a failure; the first one is the likeliest to help. */
export type FailureAction = Exclude<
  ReplyAction,
  'continue' | 'connect' | 'use-demo-gateway' | 'new-chat' | 'move-chat'
>;

/** The words of a failure, the same everywhere: class, cause, next step. */
export interface FailureMessage {
  /** The class in plain words. */
  readonly title: string;
  /** The cause and the next step, with the gateway's own words quoted. */
  readonly detail: string;
  readonly requestId: string | undefined;
  readonly gatewayRequestId?: string | undefined;
  readonly actions: readonly FailureAction[];
}

const maxQuoteLength = 500;

export function failureMessage(error: GatewayError): FailureMessage {
  if (error.cause instanceof CredentialLostError) return lostCredential();
  return {
    title: title(error),
    detail: detail(error),
    requestId: error.requestId || undefined,
    gatewayRequestId: error.gatewayRequestId,
    actions: actions(error),
  };
}

function lostCredential(): FailureMessage {
  return {
    title: vscode.l10n.t('The keyring did not keep the credential'),
    detail: vscode.l10n.t(
      'It was entered once, and the system’s keyring does not have it any more. Enter it again. Where no keyring runs, VS Code forgets secrets when it closes.',
    ),
    requestId: undefined,
    actions: ['set-credential', 'show-log'],
  };
}

function title(error: GatewayError): string {
  if (error.reason === 'content-filter') return vscode.l10n.t('The content was refused');
  if (error.reason === 'no-such-route') return vscode.l10n.t('The address is wrong');
  if (error.reason === 'first-byte-timeout') return vscode.l10n.t('The gateway did not answer in time');
  const proxys = proxyTitle(error);
  if (proxys !== undefined) return proxys;
  const titles: Record<FailureKind, string> = {
    unreachable: vscode.l10n.t('The gateway cannot be reached'),
    authentication: vscode.l10n.t('The gateway refused the credential'),
    'model-unavailable': vscode.l10n.t('The model is not available'),
    'invalid-parameters': vscode.l10n.t('The gateway refused the request'),
    'rate-limited': vscode.l10n.t('Too many requests'),
    quota: vscode.l10n.t('The quota is used up'),
    server: vscode.l10n.t('The gateway failed'),
    'malformed-reply': vscode.l10n.t('The reply cannot be read'),
    cancelled: vscode.l10n.t('Stopped'),
  };
  return titles[error.kind];
}

/** The title of a failure that a proxy caused. */
function proxyTitle({ reason }: GatewayError): string | undefined {
  switch (reason) {
    case 'proxy':
      return vscode.l10n.t('The proxy cannot be used');
    case 'proxy-refused':
      return vscode.l10n.t('The proxy did not let the request through');
    case 'proxy-credentials':
      return vscode.l10n.t('The proxy wants you to sign in');
    default:
      return undefined;
  }
}

function detail({ explanation, gatewayMessage }: GatewayError): string {
  const words = sentence(clipped(explanationWords(explanation), maxQuoteLength));
  if (!gatewayMessage || words.includes(gatewayMessage)) return words;
  return vscode.l10n.t('{0} It said: “{1}”', words, clipped(gatewayMessage, maxQuoteLength));
}

function actions(error: GatewayError): readonly FailureAction[] {
  switch (error.kind) {
    case 'authentication':
      return ['set-credential', 'again', 'show-log'];
    case 'model-unavailable':
      return ['choose-model', 'choose-format', 'refresh-models', 'show-log'];
    case 'unreachable':
      if (error.reason === 'no-such-route') return ['change-address', 'choose-format', 'again', 'show-log'];
      if (proxyTitle(error) !== undefined) return ['again', 'open-proxy', 'show-log'];
      return error.reason?.endsWith('-timeout')
        ? ['again', 'open-timeouts', 'show-log']
        : ['again', 'change-address', 'show-log'];
    case 'cancelled':
      return ['again'];
    default:
      return ['again', 'show-log'];
  }
}

function sentence(text: string): string {
  return /[.!?…”"]$/.test(text) ? text : `${text}.`;
}
