import type { FailureDetails } from '../../wire/errorMapping.ts';
import type { ForbiddenReason } from './publicAddress.ts';

const forbiddenMessages: Record<ForbiddenReason, (host: string) => string> = {
  'not-https': (host) => `The address of the file (${host}) is no https address: nothing was fetched.`,
  'holds-credentials': (host) =>
    `The address at ${host} holds a user name or password: nothing was fetched there.`,
  'not-public': (host) =>
    `The address leads to ${host} inside a private network, where nothing is fetched: if you trust it, open it yourself, or allow its origin in this gateway's resultOrigins.`,
};

/** The failure for an address that `forbidden` refuses. Nothing was sent. */
export function notFetched(reason: ForbiddenReason, host: string): FailureDetails {
  return { kind: 'malformed-reply', reason: 'forbidden-address', message: forbiddenMessages[reason](host) };
}

/** The failure for a status that says that there is nothing to download yet. */
export function notReady(status: number, host: string): FailureDetails {
  return {
    kind: 'server',
    reason: 'not-ready',
    status,
    message: `What is to be fetched from ${host} is not there yet (HTTP ${status}): try again later.`,
  };
}

/** The failure for a reply with another range than the one asked for. */
export function wrongPart(host: string): FailureDetails {
  return { kind: 'malformed-reply', message: `${host} sent another part than it was asked for.` };
}

export function tooLarge(maxBytes: number): FailureDetails {
  const limit = maxBytes >= 1e9 ? `${(maxBytes / 1e9).toFixed(1)} GB` : `${Math.ceil(maxBytes / 1e6)} MB`;
  return {
    kind: 'malformed-reply',
    reason: 'too-large',
    message: `What is to be fetched is larger than the limit of ${limit}: allow more in the settings.`,
  };
}

/** The failure for a reply that ended before the whole file arrived. */
export function endedEarly(host: string): FailureDetails {
  return {
    kind: 'unreachable',
    reason: 'cut',
    message: `${host} ended its reply early: what came so far is kept.`,
  };
}

function tooManyRedirects(host: string): FailureDetails {
  return {
    kind: 'unreachable',
    reason: 'redirect',
    message: `${host} sends the download on to another address again and again: it was given up.`,
  };
}

/**
 * Rewords a failure for a download: a status that refuses is about the file or its link, since the request
 * has nothing to change.
 *
 * @param own whether the gateway itself was asked, with the credential
 */
export function explainDownload(failure: FailureDetails, host: string, own: boolean): FailureDetails {
  const { status, retryAfterMs, body, gatewayMessage } = failure;
  if (status === undefined || status < 300) return failure;
  return {
    ...refusalOf(status, host, own),
    status,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    // Servers elsewhere may repeat the signature of the link in an error.
    ...(own && {
      ...(body !== undefined && { body }),
      ...(gatewayMessage !== undefined && { gatewayMessage }),
    }),
  };
}

/** Object stores answer with these when a signed link has expired. */
const missingStatuses = new Set([401, 403, 404, 410]);

function refusalOf(status: number, host: string, own: boolean): FailureDetails {
  if (status < 400) return tooManyRedirects(host);
  if (own && (status === 401 || status === 403)) {
    return {
      kind: 'authentication',
      message: `${host} refused the credential for the download (HTTP ${status}): check it, or enter it again.`,
    };
  }
  if (status === 429) {
    return { kind: 'rate-limited', message: `${host} asks to slow down (HTTP 429): try again later.` };
  }
  if (status === 425) return notReady(status, host);
  if (status === 408 || status >= 500) {
    return { kind: 'server', message: `${host} failed (HTTP ${status}): try again.` };
  }
  if (missingStatuses.has(status)) {
    return {
      kind: 'invalid-parameters',
      message: `${host} does not have the file any more, or the link to it has expired (HTTP ${status}).`,
    };
  }
  return { kind: 'invalid-parameters', message: `${host} refuses the download (HTTP ${status}).` };
}
