import type { ForbiddenReason } from '../http/publicAddress.ts';
import { explain, type SentenceArgs, type SentenceIdWith } from '../wire/explanations/explanation.ts';
import type { FailureDetails } from '../wire/failures/failureOfReply.ts';

const forbiddenAddresses = {
  'not-https': 'file-address-not-https',
  'contains-credentials': 'file-address-contains-credentials',
  'contains-own-credential': 'file-address-contains-own-credential',
  'not-public': 'file-address-not-public',
} as const satisfies Record<ForbiddenReason, SentenceIdWith<'host'>>;

/** The failure for an address that `forbidden` refuses. No request was sent. */
export function notFetched(reason: ForbiddenReason, host: SentenceArgs['host']): FailureDetails {
  const explanation = explain(forbiddenAddresses[reason], { host });
  return { kind: 'malformed-reply', reason: 'forbidden-address', explanation };
}

/** The failure for a status that means that the file is not available yet. */
export function notReady(status: number, host: string): FailureDetails {
  return {
    kind: 'server',
    reason: 'not-ready',
    status,
    explanation: explain('file-not-ready', { host, status }),
  };
}

/** The failure for a reply with another range than the requested one. */
export function wrongPart(host: string): FailureDetails {
  return { kind: 'malformed-reply', explanation: explain('file-wrong-part', { host }) };
}

export function tooLarge(maxBytes: number): FailureDetails {
  return {
    kind: 'malformed-reply',
    reason: 'too-large',
    explanation: explain('file-too-large', { maxBytes }),
  };
}

/** The failure for a reply that ended before the whole file arrived. */
export function endedEarly(host: string): FailureDetails {
  return {
    kind: 'unreachable',
    reason: 'cut',
    explanation: explain('file-cut', { host }),
  };
}

function tooManyRedirects(host: string): FailureDetails {
  return {
    kind: 'unreachable',
    reason: 'redirect',
    explanation: explain('file-redirected-again', { host }),
  };
}

/**
 * Rewords a failure for a download. An error status concerns the file or its link, because the request has no
 * parameters that the user could change.
 *
 * @param toGateway whether the request went to the gateway itself, with the credential
 */
export function explainDownload(failure: FailureDetails, host: string, toGateway: boolean): FailureDetails {
  const { status, retryAfterMs, body, gatewayMessage } = failure;
  if (status === undefined || status < 300) return failure;
  return {
    ...refusalOf(status, host, toGateway),
    status,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    // Other servers may repeat the signature of the link in an error.
    ...(toGateway && {
      ...(body !== undefined && { body }),
      ...(gatewayMessage !== undefined && { gatewayMessage }),
    }),
  };
}

/** Statuses of object stores for an expired signed link. */
const missingStatuses = new Set([401, 403, 404, 410]);

function refusalOf(status: number, host: string, toGateway: boolean): FailureDetails {
  if (status < 400) return tooManyRedirects(host);
  if (toGateway && (status === 401 || status === 403)) {
    return {
      kind: 'authentication',
      explanation: explain('file-credential-refused', { host, status }),
    };
  }
  if (status === 429) {
    return { kind: 'rate-limited', explanation: explain('file-rate-limited', { host, status }) };
  }
  if (status === 425) return notReady(status, host);
  if (status === 408 || status >= 500) {
    return { kind: 'server', explanation: explain('file-host-failed', { host, status }) };
  }
  if (missingStatuses.has(status)) {
    return {
      kind: 'invalid-parameters',
      explanation: explain('file-missing', { host, status }),
    };
  }
  return { kind: 'invalid-parameters', explanation: explain('file-refused', { host, status }) };
}
