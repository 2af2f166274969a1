import type { FailureDetails } from '../../wire/errorMapping.ts';
import type { ForbiddenReason } from './publicAddress.ts';

const forbiddenMessages: Record<ForbiddenReason, (host: string) => string> = {
  'not-https': (host) => `The address of the file (${host}) is no https address: nothing was fetched.`,
  'holds-credentials': (host) =>
    `The address at ${host} holds a user name or password: nothing was fetched there.`,
  'not-public': (host) =>
    `The address leads to ${host} inside a private network, where nothing is fetched: if you trust it, open it yourself, or allow its origin in this gateway's resultOrigins.`,
};

/** Nothing is asked at such an address, nor over another transport: see `forbidden`. */
export function notFetched(reason: ForbiddenReason, host: string): FailureDetails {
  return { kind: 'malformed-reply', reason: 'forbidden-address', message: forbiddenMessages[reason](host) };
}

/** A reply that says, by its status, that there is nothing to download yet. */
export function notReady(status: number, host: string): FailureDetails {
  return {
    kind: 'server',
    reason: 'not-ready',
    status,
    message: `What is to be fetched from ${host} is not there yet (HTTP ${status}): try again later.`,
  };
}

/** A reply with some other part than the one that was asked for. */
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

/** The reply came to its own end before everything was there. */
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
 * What a failure means for a download. A status that refuses speaks of the file, or of the link to it,
 * rather than of a request that could be changed.
 *
 * @param own whether the gateway itself was asked, with the credential
 */
export function explainDownload(failure: FailureDetails, host: string, own: boolean): FailureDetails {
  const { status, retryAfterMs, body, gatewayMessage } = failure;
  if (status === undefined || status < 300) return failure;
  return {
    ...verdict(status, host, own),
    status,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    // Elsewhere an error may repeat the signature of the link.
    ...(own && {
      ...(body !== undefined && { body }),
      ...(gatewayMessage !== undefined && { gatewayMessage }),
    }),
  };
}

/** Object stores answer so when a signed link is too old. */
const GONE = new Set([401, 403, 404, 410]);

function verdict(status: number, host: string, own: boolean): FailureDetails {
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
  if (GONE.has(status)) {
    return {
      kind: 'invalid-parameters',
      message: `${host} does not have the file any more, or the link to it has expired (HTTP ${status}).`,
    };
  }
  return { kind: 'invalid-parameters', message: `${host} refuses the download (HTTP ${status}).` };
}
