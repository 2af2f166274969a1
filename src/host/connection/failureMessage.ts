import * as vscode from 'vscode';
import type { GatewayError } from '../../wire/failure.ts';
import { catalogueEntry, type FailureStep } from '../../wire/failureCatalogue.ts';
import { clipped } from '../kit/display/plainText.ts';
import { explanationWords } from '../kit/explanationWords.ts';
import { saysNoMore } from '../kit/repeatedWords.ts';
import { CredentialLostError } from './credentials.ts';
import { failureDetails } from './failureDetails.ts';
import { NotStartedError } from './notStarted.ts';

/** The actions beside a failure; the first one is the likeliest to help. */
export type FailureAction = FailureStep | 'open-request' | 'copy-details' | 'show-log';

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
  /** When the gateway asked to come back, in milliseconds since 1970, where that is soon. */
  readonly againAt?: number;
  /** Lines for whoever runs the gateway. */
  readonly details: string;
}

const maxQuoteLength = 500;

/** The longest wait that keeps a button from being pressed, in milliseconds: no gateway locks anyone out. */
const maxHeldMs = 3_600_000;

export function failureMessage(error: GatewayError): FailureMessage {
  if (error.cause instanceof CredentialLostError) return lostCredential();
  const sentence = clipped(explanationWords(error.explanation), maxQuoteLength);
  const quote = quoted(error.gatewayMessage, sentence);
  const againAt = againTime(error);
  return {
    title: title(error),
    sentence,
    quote,
    requestId: error.requestId || undefined,
    gatewayRequestId: error.gatewayRequestId,
    actions: error.kind === 'cancelled' ? ['again'] : [...helpfulSteps(error), ...evidence(error)],
    ...(againAt !== undefined && { againAt }),
    details: failureDetails(error, failureText({ sentence, quote })),
  };
}

/** Where a failure is told in full: in its request, or, where there was none, in the log. */
function evidence({ requestId }: GatewayError): readonly FailureAction[] {
  return requestId === '' ? ['copy-details', 'show-log'] : ['open-request', 'copy-details'];
}

/** How long an action cannot be performed yet, in milliseconds: only trying again has to wait. */
export function waitOf(action: FailureAction, { againAt = 0 }: FailureMessage): number {
  return action === 'again' ? Math.max(0, againAt - Date.now()) : 0;
}

function againTime({ failedAt, retryAfterMs = 0 }: GatewayError): number | undefined {
  return retryAfterMs > 0 && retryAfterMs <= maxHeldMs ? failedAt.getTime() + retryAfterMs : undefined;
}

/** The class of a failure in two words, for the status bar. */
export function failureState({ kind, status, reason, cause }: GatewayError): string {
  if (cause instanceof CredentialLostError) return vscode.l10n.t('credential lost');
  if (cause instanceof NotStartedError) return vscode.l10n.t('not started');
  if (kind !== 'authentication' || reason === 'credential-unanswered') return vscode.l10n.t('not usable');
  return status === undefined ? vscode.l10n.t('credential not usable') : vscode.l10n.t('credential refused');
}

/** The sentence of a failure and the gateway's words about it, for a place with one text. */
export function failureText({ sentence, quote }: Pick<FailureMessage, 'sentence' | 'quote'>): string {
  return quote === '' ? sentence : `${sentence} ${quote}`;
}

function lostCredential(): FailureMessage {
  const sentence = vscode.l10n.t(
    'The system’s keyring lost the credential: set it again (without a keyring, VS Code forgets it when it closes).',
  );
  return {
    title: vscode.l10n.t('The keyring lost the credential'),
    sentence,
    details: sentence,
    quote: '',
    requestId: undefined,
    actions: ['set-credential', 'show-log'],
  };
}

function quoted(gatewayMessage: string | undefined, sentence: string): string {
  if (!gatewayMessage || saysNoMore(gatewayMessage, sentence)) return '';
  return vscode.l10n.t('Message from the gateway: “{0}”', clipped(gatewayMessage, maxQuoteLength));
}

function title(error: GatewayError): string {
  if (error.cause instanceof NotStartedError) return vscode.l10n.t('The local gateway does not run');
  return vscode.l10n.t(catalogueEntry(error).title);
}

function helpfulSteps(error: GatewayError): readonly FailureStep[] {
  return error.cause instanceof NotStartedError ? ['start-local-gateway'] : catalogueEntry(error).steps;
}
