import * as vscode from 'vscode';
import type { ReplyAction } from '../protocol/pageMessage.ts';
import type { FailureKind, FailureReason, GatewayError } from '../wire/failure.ts';
import { CredentialLostError } from './connection/credentials.ts';
import { NotStartedError } from './connection/notStarted.ts';
import { clipped } from './display/plainText.ts';
import { explanationWords } from './explanationWords.ts';
import { saysNoMore } from './repeatedWords.ts';

/** The actions beside a failure; the first one is the likeliest to help. */
export type FailureAction = Exclude<
  ReplyAction,
  'edit' | 'continue' | 'connect' | 'try-demo' | 'new-chat' | 'move-chat'
>;

/** The words of a failure, the same everywhere. */
export interface FailureMessage {
  /** The class in plain words, where there is room for a few words only. */
  readonly title: string;
  /** One sentence of the cause and the next step. */
  readonly sentence: string;
  /** The gateway's own words in quotes; empty where it had none. */
  readonly quote: string;
  readonly requestId: string | undefined;
  readonly gatewayRequestId?: string | undefined;
  readonly actions: readonly FailureAction[];
}

const maxQuoteLength = 500;

export function failureMessage(error: GatewayError): FailureMessage {
  if (error.cause instanceof CredentialLostError) return lostCredential();
  const sentence = clipped(explanationWords(error.explanation), maxQuoteLength);
  return {
    title: title(error),
    sentence,
    quote: quoted(error.gatewayMessage, sentence),
    requestId: error.requestId || undefined,
    gatewayRequestId: error.gatewayRequestId,
    actions: error.kind === 'cancelled' ? ['again'] : [...helpfulActions(error), 'show-log'],
  };
}

/** The class of a failure in two words, for the status bar. */
export function failureState({ kind, status, reason, cause }: GatewayError): string {
  if (cause instanceof CredentialLostError) return vscode.l10n.t('credential lost');
  if (cause instanceof NotStartedError) return vscode.l10n.t('not started');
  if (kind !== 'authentication' || reason === 'credential-unanswered') return vscode.l10n.t('not usable');
  return status === undefined ? vscode.l10n.t('credential not usable') : vscode.l10n.t('credential refused');
}

/** The sentence of a failure and the gateway's words about it, for a place with one text. */
export function failureText({ sentence, quote }: FailureMessage): string {
  return quote === '' ? sentence : `${sentence} ${quote}`;
}

function lostCredential(): FailureMessage {
  return {
    title: vscode.l10n.t('The keyring lost the credential'),
    sentence: vscode.l10n.t(
      'The system’s keyring lost the credential: set it again (without a keyring, VS Code forgets it when it closes).',
    ),
    quote: '',
    requestId: undefined,
    actions: ['set-credential', 'show-log'],
  };
}

function quoted(gatewayMessage: string | undefined, sentence: string): string {
  if (!gatewayMessage || saysNoMore(gatewayMessage, sentence)) return '';
  return vscode.l10n.t('The gateway says: “{0}”', clipped(gatewayMessage, maxQuoteLength));
}

function title(error: GatewayError): string {
  if (error.cause instanceof NotStartedError) return vscode.l10n.t('The local gateway does not run');
  if (error.reason === 'credential-unanswered') return vscode.l10n.t('The credential could not be read');
  if (error.reason === 'another-account') return vscode.l10n.t('The gateway is not connected');
  if (error.kind === 'authentication' && error.status === undefined)
    return vscode.l10n.t('The credential cannot be used');
  if (error.reason === 'content-filter') return vscode.l10n.t('The content was refused');
  if (error.reason === 'unsuited-model') return vscode.l10n.t('The model is not made for this');
  if (error.reason === 'no-such-route') return vscode.l10n.t('The address is wrong');
  if (error.reason === 'unusable-address') return vscode.l10n.t('The address may not be used');
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

/** What helps against a failure: by its cause or reason, else by its kind. */
function helpfulActions({ kind, reason, cause }: GatewayError): readonly FailureAction[] {
  if (cause instanceof NotStartedError) return ['start-local-gateway'];
  return (reason && actionsByReason[reason]) ?? actionsByKind[kind];
}

const actionsByReason: { readonly [Reason in FailureReason]?: readonly FailureAction[] } = {
  'another-account': [],
  'credential-unanswered': ['again'],
  dns: ['again', 'change-address'],
  refused: ['again', 'change-address'],
  'unusable-address': ['change-address', 'again'],
  proxy: ['again', 'open-proxy'],
  'proxy-refused': ['again', 'open-proxy'],
  'proxy-credentials': ['again', 'open-proxy'],
  redirect: ['change-address', 'again'],
  'not-a-gateway': ['change-address', 'again'],
  'no-such-route': ['change-address', 'choose-format', 'again'],
  'connect-timeout': ['again', 'open-timeouts'],
  'first-byte-timeout': ['again', 'open-timeouts'],
  'idle-timeout': ['again', 'open-timeouts'],
  'no-data-timeout': ['again', 'open-timeouts'],
  'total-timeout': ['again', 'open-timeouts'],
  'tls-wrong-host': ['change-address', 'again'],
  'tls-not-tls': ['change-address', 'again'],
  'content-filter': ['choose-model'],
};

const actionsByKind: Readonly<Record<FailureKind, readonly FailureAction[]>> = {
  unreachable: ['again'],
  authentication: ['set-credential', 'again'],
  'model-unavailable': ['choose-model', 'choose-format', 'refresh-models'],
  'invalid-parameters': ['open-parameters', 'choose-format', 'again'],
  'rate-limited': ['again', 'choose-model'],
  quota: ['set-credential', 'choose-model', 'again'],
  server: ['again', 'choose-model'],
  'malformed-reply': ['again'],
  cancelled: ['again'],
};
