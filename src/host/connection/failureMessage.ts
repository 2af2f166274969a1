import * as vscode from 'vscode';
import { catalogueEntry, type FailureStep } from '../../wire/failures/failureCatalogue.ts';
import type { FailureKind, FailureReason, GatewayError } from '../../wire/failures/gatewayError.ts';
import { clip } from '../kit/display/plainText.ts';
import { formatShortTime } from '../kit/display/timeWords.ts';
import { describeExplanation } from '../kit/explanationWords.ts';
import { hasOnlyWordsOf } from '../kit/sentence.ts';
import { CredentialLostError } from './credentials.ts';
import { formatFailureDetails } from './failureDetails.ts';
import type { Outage } from './outage.ts';
import { NotStartedError } from './unsentError.ts';

/** An action for a failure. */
export type FailureAction = FailureStep | 'open-request' | 'copy-details' | 'show-log' | 'open-help';

/** The texts and actions for a failure. All views use the same texts. */
export interface FailureMessage {
  /** The kind of failure in a few words, for views with little space. */
  readonly title: string;
  /** A sentence with the cause and the next step. */
  readonly sentence: string;
  /** The gateway's own message in quotes; empty if the gateway did not send a message. */
  readonly quote: string;
  readonly requestId: string | undefined;
  readonly gatewayRequestId?: string | undefined;
  /** The actions that may help, the most helpful action first. */
  readonly actions: readonly FailureAction[];
  /** The page of `docs` that the action `open-help` opens. */
  readonly helpPage: string;
  /** The time when the gateway allows a retry, in milliseconds since 1970; absent if unknown or too far away. */
  readonly retryAt?: number;
  /** The lines to copy for the gateway's operator. */
  readonly details: string;
}

const credentialPage = 'connect#what-can-go-wrong';
const upstreamPage = 'local-gateway/upstreams#what-can-go-wrong';

/** The help pages of failures, by reason or kind. */
const helpPages: { readonly [Class in FailureKind | FailureReason]?: string } = {
  authentication: credentialPage,
  'no-models': credentialPage,
  'spending-limit': 'spending-limits#what-can-go-wrong',
  'own-upstream-credential': upstreamPage,
  'upstream-unusable': upstreamPage,
  'cache-fields-refused': 'costs-and-limits#prompt-caching',
};

const maxQuoteLength = 500;

/** The longest wait that disables a button, in milliseconds. Longer waits are ignored, so that the user can retry. */
const maxWaitMs = 3_600_000;

/** Describes a failure in the user's language, with the actions that may help. */
export function failureMessage(error: GatewayError): FailureMessage {
  if (error.cause instanceof CredentialLostError) return describeLostCredential();
  const sentence = clip(describeExplanation(error.explanation), maxQuoteLength);
  const quote = quoteMessage(error.gatewayMessage, sentence);
  const retryAt = findRetryTime(error);
  return {
    title: chooseTitle(error),
    sentence,
    quote,
    requestId: error.requestId || undefined,
    gatewayRequestId: error.gatewayRequestId,
    actions: error.kind === 'cancelled' ? ['again'] : [...chooseSteps(error), ...chooseDetailActions(error)],
    helpPage: findHelpPage(error),
    ...(retryAt !== undefined && { retryAt }),
    details: formatFailureDetails(error, formatFailure({ sentence, quote })),
  };
}

/** Chooses the actions that show details: the request, or the log if no request was sent, and the help page. */
function chooseDetailActions({ requestId }: GatewayError): readonly FailureAction[] {
  const details =
    requestId === '' ? (['copy-details', 'show-log'] as const) : (['open-request', 'copy-details'] as const);
  return [...details, 'open-help'];
}

/** Returns the time until an action is possible, in milliseconds. Only a retry may have to wait. */
export function computeWaitMs(action: FailureAction, { retryAt = 0 }: FailureMessage): number {
  return action === 'again' ? Math.max(0, retryAt - Date.now()) : 0;
}

function findRetryTime({ failedAt, retryAfterMs = 0 }: GatewayError): number | undefined {
  return retryAfterMs > 0 && retryAfterMs <= maxWaitMs ? failedAt.getTime() + retryAfterMs : undefined;
}

/** Returns the kind of failure in two words, for the status bar. */
export function formatShortFailure({ kind, status, reason, cause }: GatewayError): string {
  if (cause instanceof CredentialLostError) return vscode.l10n.t('credential lost');
  if (cause instanceof NotStartedError) return vscode.l10n.t('not started');
  if (kind !== 'authentication' || reason === 'credential-timeout') return vscode.l10n.t('not usable');
  return status === undefined ? vscode.l10n.t('credential not usable') : vscode.l10n.t('credential refused');
}

/** Joins the sentence of a failure and the gateway's own message. */
export function formatFailure({ sentence, quote }: Pick<FailureMessage, 'sentence' | 'quote'>): string {
  return quote === '' ? sentence : `${sentence} ${quote}`;
}

function describeLostCredential(): FailureMessage {
  const sentence = vscode.l10n.t(
    'The system keyring lost the credential: set it again (without a keyring, VS Code discards it on exit).',
  );
  return {
    title: vscode.l10n.t('The keyring lost the credential'),
    sentence,
    details: sentence,
    quote: '',
    requestId: undefined,
    actions: ['set-credential', 'show-log', 'open-help'],
    helpPage: credentialPage,
  };
}

function quoteMessage(gatewayMessage: string | undefined, sentence: string): string {
  if (!gatewayMessage || hasOnlyWordsOf(gatewayMessage, sentence)) return '';
  return vscode.l10n.t('Message from the gateway: “{0}”', clip(gatewayMessage, maxQuoteLength));
}

function chooseTitle(error: GatewayError): string {
  if (error.cause instanceof NotStartedError) return vscode.l10n.t('The local gateway is not running');
  return vscode.l10n.t(catalogueEntry(error).title);
}

function findHelpPage({ kind, reason, explanation, cause }: GatewayError): string {
  if (cause instanceof NotStartedError) return 'local-gateway/start#what-can-go-wrong';
  const page = (reason && helpPages[reason]) ?? helpPages[kind];
  if (page !== undefined) return page;
  const isAboutTask = /^(task|file)-/.test(explanation.id);
  return isAboutTask ? 'videos#what-can-go-wrong' : 'diagnostics#what-can-go-wrong';
}

function chooseSteps(error: GatewayError): readonly FailureStep[] {
  return error.cause instanceof NotStartedError ? ['start-local-gateway'] : catalogueEntry(error).steps;
}

/** Describes the cause and the start of an outage in sentences. */
export function describeOutage({ since, error }: Outage): string {
  return vscode.l10n.t(
    '{0} Not reachable since {1}.',
    formatFailure(failureMessage(error)),
    formatShortTime(since),
  );
}

/** Describes the start of an outage, such as "since 14:03". */
export function describeOutageStart({ since }: Outage): string {
  return vscode.l10n.t('since {0}', formatShortTime(since));
}
