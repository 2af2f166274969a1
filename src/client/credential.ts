import { untilAborted } from '../base/cancellation.ts';
import { commandTimeoutMs, KeyError } from '../base/node/keySource.ts';
import { type Explanation, explain } from '../wire/explanations/explanation.ts';
import { createCancelledFailure, type FailureDetails } from '../wire/failures/replyFailure.ts';
import type { HeaderNames } from '../wire/headerNames.ts';
import type { CredentialHeader } from '../wire/routes.ts';
import type { ClientOptions } from './types.ts';

/** The credential storage did not respond in time. A later attempt may succeed. */
export class CredentialTimeoutError extends Error {
  override readonly name = 'CredentialTimeoutError';
}

/** The user has not confirmed the command that prints the credential. It was not run. */
export class CommandUnconfirmedError extends Error {
  override readonly name = 'CommandUnconfirmedError';
}

/**
 * Reads the credential for one request, until `signal` is aborted.
 *
 * @returns the credential (undefined if there is none), or the reason why it cannot be used
 */
export async function readCredential(
  read: () => Promise<string | undefined>,
  signal: AbortSignal | undefined,
): Promise<{ readonly credential: string | undefined } | { readonly failure: FailureDetails }> {
  if (signal?.aborted) return { failure: createCancelledFailure() };
  let credential: string | undefined;
  try {
    credential = await untilAborted(read(), signal);
  } catch (cause) {
    if (signal?.aborted) return { failure: createCancelledFailure() };
    return { failure: { ...createCredentialFailure(cause), cause } };
  }
  if (signal?.aborted) return { failure: createCancelledFailure() };
  if (credential !== undefined && !isSendable(credential)) return { failure: unsendableCredential };
  return { credential };
}

interface RefusedAttempt {
  readonly exchange: { readonly status?: number };
  readonly failure: FailureDetails | undefined;
}

/**
 * Requests another credential after the gateway refused one with 401.
 *
 * @returns undefined if the request need not or cannot be sent again
 */
export async function renewRefusedCredential(
  { renewCredential }: Pick<ClientOptions, 'renewCredential'>,
  credential: string | undefined,
  { exchange, failure }: RefusedAttempt,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  if (!renewCredential || credential === undefined || signal?.aborted) return undefined;
  if (exchange.status !== 401 || failure?.kind !== 'authentication') return undefined;
  // If the renewal fails, the 401 remains the failure of the request.
  const renewed = await untilAborted(renewCredential(credential), signal).catch(() => undefined);
  const isUsable = renewed !== undefined && renewed !== credential && isSendable(renewed);
  return isUsable && !signal?.aborted ? renewed : undefined;
}

function isSendable(credential: string): boolean {
  return /^[\x21-\x7e]+$/.test(credential);
}

/** Returns the only header that contains the credential. */
export function writeCredentialHeader(
  header: CredentialHeader,
  credential: string,
  { vendorApiKey }: HeaderNames,
): Readonly<Record<string, string>> {
  switch (header) {
    case 'bearer':
      return { authorization: `Bearer ${credential}` };
    case 'api-key':
      return { 'x-api-key': credential };
    case 'vendor-api-key':
      return { [vendorApiKey]: credential };
  }
}

function createCredentialFailure(cause: unknown): FailureDetails {
  if (cause instanceof CredentialTimeoutError) return credentialTimeout;
  if (cause instanceof CommandUnconfirmedError)
    return { kind: 'authentication', explanation: explain('credential-command-unconfirmed') };
  return cause instanceof KeyError ? createCommandFailure(cause) : unreadableCredential;
}

/** Explains why the command that prints the credential failed. */
function createCommandFailure({ kind, code = '' }: KeyError): FailureDetails {
  const authentication = (explanation: Explanation) => ({ kind: 'authentication', explanation }) as const;
  switch (kind) {
    case 'timeout':
      return authentication(explain('credential-command-timeout', { timeoutMs: commandTimeoutMs }));
    case 'unreadable':
      return authentication(explain('credential-command-output'));
    case 'expired':
      return authentication(explain('credential-command-expired'));
    default:
      return authentication(explain('credential-command-failed', { code }));
  }
}

const unreadableCredential: FailureDetails = {
  kind: 'authentication',
  explanation: explain('credential-unreadable'),
};

const credentialTimeout: FailureDetails = {
  kind: 'authentication',
  reason: 'credential-timeout',
  explanation: explain('credential-timeout'),
};

const unsendableCredential: FailureDetails = {
  kind: 'authentication',
  explanation: explain('credential-unsendable'),
};
