import type { ForbiddenReason } from '../http/publicAddress.ts';
import { explain, type SentenceArgs, type SentenceIdWith } from '../wire/explanations/explanation.ts';
import type { FailureDetails } from '../wire/failures/replyFailure.ts';

const forbiddenAddressSentences = {
  'not-https': 'file-address-not-https',
  'contains-credentials': 'file-address-contains-credentials',
  'contains-own-credential': 'file-address-contains-own-credential',
  'not-public': 'file-address-not-public',
} as const satisfies Record<ForbiddenReason, SentenceIdWith<'host'>>;

/** Creates the failure for an address that `findForbiddenReason` refuses. The request was not sent. */
export function createForbiddenAddressFailure(
  reason: ForbiddenReason,
  host: SentenceArgs['host'],
): FailureDetails {
  const explanation = explain(forbiddenAddressSentences[reason], { host });
  return { kind: 'malformed-reply', reason: 'forbidden-address', explanation };
}

/** Creates the failure for a status that means that the file is not available yet. */
export function createNotReadyFailure(status: number, host: string): FailureDetails {
  return {
    kind: 'server',
    reason: 'not-ready',
    status,
    explanation: explain('file-not-ready', { host, status }),
  };
}

/** Creates the failure for a reply with another range than the requested one. */
export function createWrongPartFailure(host: string): FailureDetails {
  return { kind: 'malformed-reply', explanation: explain('file-wrong-part', { host }) };
}

export function createTooLargeFileFailure(maxBytes: number): FailureDetails {
  return {
    kind: 'malformed-reply',
    reason: 'too-large',
    explanation: explain('file-too-large', { maxBytes }),
  };
}

/** Creates the failure for a reply that ended before the whole file arrived. */
export function createCutFileFailure(host: string): FailureDetails {
  return {
    kind: 'unreachable',
    reason: 'cut',
    explanation: explain('file-cut', { host }),
  };
}

function createTooManyRedirectsFailure(host: string): FailureDetails {
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
 * @param isGateway whether the request was sent to the gateway itself, with the credential
 */
export function rewordDownloadFailure(
  failure: FailureDetails,
  host: string,
  isGateway: boolean,
): FailureDetails {
  const { status, retryAfterMs, body, gatewayMessage } = failure;
  if (status === undefined || status < 300) return failure;
  return {
    ...createStatusFailure(status, host, isGateway),
    status,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    // Other servers may repeat the signature of the link in an error.
    ...(isGateway && {
      ...(body !== undefined && { body }),
      ...(gatewayMessage !== undefined && { gatewayMessage }),
    }),
  };
}

/** Statuses of object stores for an expired signed link. */
const missingStatuses = new Set([401, 403, 404, 410]);

function createStatusFailure(status: number, host: string, isGateway: boolean): FailureDetails {
  if (status < 400) return createTooManyRedirectsFailure(host);
  if (isGateway && (status === 401 || status === 403)) {
    return {
      kind: 'authentication',
      explanation: explain('file-credential-refused', { host, status }),
    };
  }
  if (status === 429) {
    return { kind: 'rate-limited', explanation: explain('file-rate-limited', { host, status }) };
  }
  if (status === 425) return createNotReadyFailure(status, host);
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
