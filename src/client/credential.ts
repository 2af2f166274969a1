import { untilAborted } from '../base/untilAborted.ts';
import { cancelledFailure, type FailureDetails } from '../wire/errorMapping.ts';
import { explain } from '../wire/explanations/explanation.ts';
import type { HeaderNames } from '../wire/headerNames.ts';
import type { CredentialHeader } from '../wire/routes.ts';

/** The credential storage did not respond in time. A later attempt may succeed. */
export class CredentialTimeoutError extends Error {
  override readonly name = 'CredentialTimeoutError';
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
  if (signal?.aborted) return { failure: cancelledFailure() };
  let credential: string | undefined;
  try {
    credential = await untilAborted(read(), signal);
  } catch (cause) {
    if (signal?.aborted) return { failure: cancelledFailure() };
    const failure = cause instanceof CredentialTimeoutError ? credentialTimeout : unreadableCredential;
    return { failure: { ...failure, cause } };
  }
  if (signal?.aborted) return { failure: cancelledFailure() };
  if (credential !== undefined && !/^[\x21-\x7e]+$/.test(credential))
    return { failure: unsendableCredential };
  return { credential };
}

/** The single header that carries the credential. */
export function credentialHeader(
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
