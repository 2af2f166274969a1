import { notPrivateCode } from '../http/privateAddress.ts';
import { forbiddenAddressCode } from '../http/publicAddress.ts';
import { type FailureDetails, unsendable } from '../wire/errorMapping.ts';
import { explain, type SentenceArgs, type SentenceNaming } from '../wire/explanations/explanation.ts';
import { notFetched } from './downloads/downloadFailure.ts';
import type { RequestPhase } from './requestTimeouts.ts';

interface NetworkErrorKind {
  readonly codes: RegExp;
  readonly reason?: FailureDetails['reason'];
  readonly sentence: SentenceNaming<'host'>;
}

/** Causes by the codes of Node, its TLS library and undici. The first match counts. */
const networkErrorKinds: readonly NetworkErrorKind[] = [
  {
    codes: new RegExp(`^${notPrivateCode}$`),
    reason: 'unusable-address',
    sentence: 'plain-http-not-private',
  },
  {
    codes: /^(ENOTFOUND|EAI_\w+|ENODATA)$/,
    reason: 'dns',
    sentence: 'name-not-resolved',
  },
  {
    codes: /^ECONNREFUSED$/,
    reason: 'refused',
    sentence: 'connection-refused',
  },
  {
    codes: /^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/,
    reason: 'connect-timeout',
    sentence: 'host-silent',
  },
  {
    codes: /^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/,
    reason: 'tls-expired',
    sentence: 'certificate-out-of-date',
  },
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    reason: 'tls-wrong-host',
    sentence: 'certificate-of-another-host',
  },
  {
    codes: /SELF_SIGNED|^(UNABLE_TO_\w+|CERT_UNTRUSTED|CERT_REJECTED|INVALID_CA)$/,
    reason: 'tls-unknown-authority',
    sentence: 'certificate-authority-unknown',
  },
  {
    codes: /^(ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG|ERR_SSL_HTTP_REQUEST)$/,
    reason: 'tls-not-tls',
    sentence: 'host-without-tls',
  },
  {
    codes: /^(ERR_SSL_\w+|ERR_TLS_\w+|CERT_\w+|EPROTO|HOSTNAME_MISMATCH)$/,
    reason: 'tls-other',
    sentence: 'tls-not-agreed',
  },
  {
    codes: /^HPE_HEADER_OVERFLOW$|^UND_ERR_HEADERS_OVERFLOW$/,
    reason: 'too-large',
    sentence: 'headers-too-large',
  },
  {
    // What undici's parser takes for impossible fails an assertion. Node looks for the words of that one in the
    // source, which in a bundle is a SyntaxError.
    codes: /^(HPE_\w+|HTTPParserError|ERR_ASSERTION|SyntaxError)$/,
    reason: 'not-a-gateway',
    sentence: 'host-without-http',
  },
  {
    codes: /^(ENETUNREACH|EHOSTUNREACH|ENETDOWN|EADDRNOTAVAIL)$/,
    sentence: 'no-way',
  },
];

/**
 * Explains a failure of the network below HTTP.
 *
 * @param host host and port, for the explanation
 * @param phase how far the request had come
 */
export function failureOfNetworkError(
  error: unknown,
  host: SentenceArgs['host'],
  phase: RequestPhase,
): FailureDetails {
  const codes = errorCodes(error);
  if (codes.includes('UND_ERR_INVALID_ARG')) return unsendable(error);
  if (codes.includes(forbiddenAddressCode)) return notFetched('not-public', host);
  const known = kindOf(codes);
  if (known) {
    const { reason } = known;
    return {
      kind: 'unreachable',
      ...(reason && { reason }),
      explanation: explain(known.sentence, { host }),
      cause: error,
    };
  }
  const reason = phase === 'reading' && !codes.includes('ECONNRESET') ? 'cut' : 'reset';
  return { kind: 'unreachable', reason, explanation: explain(connectionLost[phase], { host }), cause: error };
}

/** The reason of a network failure, if its codes tell one. */
export function reasonOfNetworkError(error: unknown): FailureDetails['reason'] {
  return kindOf(errorCodes(error))?.reason;
}

function kindOf(codes: readonly string[]): NetworkErrorKind | undefined {
  return networkErrorKinds.find((entry) => codes.some((code) => entry.codes.test(code)));
}

const connectionLost = {
  connecting: 'broken-off-connecting',
  waiting: 'broken-off-waiting',
  reading: 'broken-off-reading',
} as const satisfies Record<RequestPhase, SentenceNaming<'host'>>;

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
