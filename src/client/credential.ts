import { untilAborted } from '../base/untilAborted.ts';
import { cancelled, type FailureDetails } from '../wire/errorMapping.ts';
import { explain } from '../wire/explanations/explanation.ts';
import type { HeaderNames } from '../wire/headerNames.ts';
import type { CredentialHeader } from '../wire/routes.ts';

/** Whatever keeps the credential did not answer in time, and may do so later. */
export class CredentialUnansweredError extends Error {
  override readonly name = 'CredentialUnansweredError';
}

/**
 * Reads the credential for one request, until `signal` is aborted.
 *
 * @returns the credential, or undefined in its place where there is none; otherwise why it cannot be used
 */
export async function readCredential(
  read: () => Promise<string | undefined>,
  signal: AbortSignal | undefined,
): Promise<{ readonly credential: string | undefined } | { readonly failure: FailureDetails }> {
  if (signal?.aborted) return { failure: cancelled() };
  let credential: string | undefined;
  try {
    credential = await untilAborted(read(), signal);
  } catch (cause) {
    if (signal?.aborted) return { failure: cancelled() };
    const failure = cause instanceof CredentialUnansweredError ? unansweredCredential : unreadableCredential;
    return { failure: { ...failure, cause } };
  }
  if (signal?.aborted) return { failure: cancelled() };
  if (credential !== undefined && !/^[\x21-\x7e]+$/.test(credential))
    return { failure: unsendableCredential };
  return { credential };
}

/** The one header that carries the credential. */
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

const unansweredCredential: FailureDetails = {
  kind: 'authentication',
  reason: 'credential-unanswered',
  explanation: explain('credential-unanswered'),
};

const unsendableCredential: FailureDetails = {
  kind: 'authentication',
  explanation: explain('credential-unsendable'),
};
