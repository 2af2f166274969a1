import { type FailureDetails, unsendable } from '../wire/errorMapping.ts';
import { notFetched } from './downloads/downloadFailure.ts';
import { forbiddenAddressCode } from './downloads/publicAddress.ts';
import type { RequestPhase } from './requestTimeouts.ts';

interface NetworkErrorKind {
  readonly codes: RegExp;
  readonly reason?: FailureDetails['reason'];
  readonly message: (host: string) => string;
}

/** Causes by the codes of Node, its TLS library and undici. The first match counts. */
const networkErrorKinds: readonly NetworkErrorKind[] = [
  {
    codes: /^(ENOTFOUND|EAI_\w+|ENODATA)$/,
    reason: 'dns',
    message: (host) => `The name ${host} cannot be resolved: check the address, or whether you are online.`,
  },
  {
    codes: /^ECONNREFUSED$/,
    reason: 'refused',
    message: (host) => `${host} refuses connections: check the port, or start the server there.`,
  },
  {
    codes: /^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/,
    reason: 'connect-timeout',
    message: (host) => `${host} does not answer: check the address, the network and the proxy.`,
  },
  {
    codes: /^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/,
    reason: 'tls-expired',
    message: (host) =>
      `The certificate of ${host} is out of date: check this machine's clock, or ask for a new certificate there.`,
  },
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    reason: 'tls-wrong-host',
    message: (host) => `The certificate shown for ${host} is for another host: check the address.`,
  },
  {
    codes: /SELF_SIGNED|^(UNABLE_TO_\w+|CERT_UNTRUSTED|CERT_REJECTED|INVALID_CA)$/,
    reason: 'tls-unknown-authority',
    message: (host) =>
      `The certificate of ${host} comes from an unknown authority: add that authority to the system's ` +
      'certificates, and keep the setting http.systemCertificates on.',
  },
  {
    codes: /^(ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG|ERR_SSL_HTTP_REQUEST)$/,
    reason: 'tls-not-tls',
    message: (host) =>
      `${host} does not speak TLS: check the port, or whether the address begins with http://.`,
  },
  {
    codes: /^(ERR_SSL_\w+|ERR_TLS_\w+|CERT_\w+|EPROTO|HOSTNAME_MISMATCH)$/,
    reason: 'tls-other',
    message: (host) => `No secure connection to ${host} could be agreed on: its TLS is too old or broken.`,
  },
  {
    codes: /^HPE_HEADER_OVERFLOW$|^UND_ERR_HEADERS_OVERFLOW$/,
    reason: 'too-large',
    message: (host) => `The reply's headers from ${host} are too large; reading stopped there.`,
  },
  {
    codes: /^(HPE_\w+|HTTPParserError)$/,
    reason: 'not-a-gateway',
    message: (host) => `What answers at ${host} does not speak HTTP: check the address and the port.`,
  },
  {
    codes: /^(ENETUNREACH|EHOSTUNREACH|ENETDOWN|EADDRNOTAVAIL)$/,
    message: (host) => `There is no way to ${host} on this network: check whether you are online.`,
  },
];

/**
 * Explains a failure of the network below HTTP.
 *
 * @param host host and port, for the message
 * @param phase how far the request had come
 */
export function failureOfNetworkError(error: unknown, host: string, phase: RequestPhase): FailureDetails {
  const codes = errorCodes(error);
  if (codes.includes('UND_ERR_INVALID_ARG')) return unsendable(error);
  if (codes.includes(forbiddenAddressCode)) return notFetched('not-public', host);
  const known = kindOf(codes);
  if (known) {
    const { reason } = known;
    return { kind: 'unreachable', ...(reason && { reason }), message: known.message(host), cause: error };
  }
  const reason = phase === 'reading' && !codes.includes('ECONNRESET') ? 'cut' : 'reset';
  return { kind: 'unreachable', reason, message: connectionLost[phase](host), cause: error };
}

/** The reason of a network failure, if its codes tell one. */
export function reasonOfNetworkError(error: unknown): FailureDetails['reason'] {
  return kindOf(errorCodes(error))?.reason;
}

function kindOf(codes: readonly string[]): NetworkErrorKind | undefined {
  return networkErrorKinds.find((entry) => codes.some((code) => entry.codes.test(code)));
}

const connectionLost: Record<RequestPhase, (host: string) => string> = {
  connecting: (host) => `${host} broke off the connection before the request was sent: try again.`,
  waiting: (host) => `${host} broke off the connection without answering: it may have received the request.`,
  reading: (host) =>
    `The connection to ${host} broke in the middle of the reply: what came so far is kept, ask again for the rest.`,
};

/**
 * The codes of an error, of the errors it bundles and of its causes. Without a code the name of the error
 * counts.
 */
function errorCodes(error: unknown): readonly string[] {
  const codes: string[] = [];
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++) {
    codes.push('code' in at && typeof at.code === 'string' ? at.code : at.name, ...tlsReason(at));
    if (at instanceof AggregateError) codes.push(...at.errors.flatMap(errorCodes));
  }
  return codes;
}

/** A TLS failure during a write has only the code EPROTO; the text of the TLS library tells the reason. */
function tlsReason({ message }: Error): readonly string[] {
  const reason = /SSL routines:\w*:([\w ]+):/.exec(message)?.[1];
  return reason ? [`ERR_SSL_${reason.toUpperCase().replaceAll(' ', '_')}`] : [];
}
