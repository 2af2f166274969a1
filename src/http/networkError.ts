import { errorCode } from '../base/errors.ts';
import { notPrivateCode } from './privateAddress.ts';
import { forbiddenAddressCode } from './publicAddress.ts';

/** Kinds of failures below HTTP, detected by the codes of Node, its TLS library and undici. */
export type NetworkErrorKind =
  | 'not-private'
  | 'not-public'
  | 'name-unknown'
  | 'name-not-looked-up'
  | 'refused'
  | 'connect-timeout'
  | 'silent'
  | 'certificate-expired'
  | 'certificate-of-another-host'
  | 'certificate-self-signed'
  | 'certificate-of-unknown-authority'
  | 'not-tls'
  | 'tls'
  | 'headers-too-large'
  | 'not-http'
  | 'no-route'
  | 'unsendable';

/** The codes of each kind. The first match counts. */
const kinds: readonly (readonly [kind: NetworkErrorKind, codes: RegExp])[] = [
  ['unsendable', /^UND_ERR_INVALID_ARG$/],
  ['not-public', new RegExp(`^${forbiddenAddressCode}$`)],
  ['not-private', new RegExp(`^${notPrivateCode}$`)],
  ['name-not-looked-up', /^EAI_AGAIN$/],
  ['name-unknown', /^(ENOTFOUND|EAI_\w+|ENODATA)$/],
  ['refused', /^ECONNREFUSED$/],
  ['connect-timeout', /^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/],
  ['silent', /^UND_ERR_(HEADERS|BODY)_TIMEOUT$/],
  ['certificate-expired', /^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/],
  ['certificate-of-another-host', /^ERR_TLS_CERT_ALTNAME_INVALID$/],
  ['certificate-self-signed', /^DEPTH_ZERO_SELF_SIGNED_CERT$/],
  [
    'certificate-of-unknown-authority',
    /SELF_SIGNED|^(UNABLE_TO_\w+|CERT_UNTRUSTED|CERT_REJECTED|INVALID_CA)$/,
  ],
  ['not-tls', /^(ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG|ERR_SSL_HTTP_REQUEST)$/],
  ['tls', /^(ERR_SSL_\w+|ERR_TLS_\w+|CERT_\w+|EPROTO|HOSTNAME_MISMATCH)$/],
  ['headers-too-large', /^(HPE_HEADER_OVERFLOW|UND_ERR_HEADERS_OVERFLOW)$/],
  // A reply that undici's parser considers impossible fails an assertion. Node then searches the source for the text
  // of the assertion, which causes a SyntaxError in a bundle.
  ['not-http', /^(HPE_\w+|HTTPParserError|ERR_ASSERTION|SyntaxError)$/],
  ['no-route', /^(ENETUNREACH|EHOSTUNREACH|ENETDOWN|EADDRNOTAVAIL)$/],
];

/** The kind of a network error; undefined for any other error, such as a broken connection. */
export function classifyNetworkError(error: unknown): NetworkErrorKind | undefined {
  const codes = listErrorCodes(error);
  return kinds.find(([, pattern]) => codes.some((code) => pattern.test(code)))?.[0];
}

/**
 * The codes of an error, its aggregated errors and its causes. If there is no code, the name of the error is used.
 */
export function listErrorCodes(error: unknown): readonly string[] {
  const codes: string[] = [];
  for (
    let cause: unknown = error, depth = 0;
    cause instanceof Error && depth < 4;
    cause = cause.cause, depth++
  ) {
    codes.push(errorCode(cause) ?? cause.name, ...readTlsReason(cause));
    if (cause instanceof AggregateError) codes.push(...cause.errors.flatMap(listErrorCodes));
  }
  return codes;
}

/** Reads the reason of a TLS failure from the message. During a write such a failure has only the code EPROTO. */
function readTlsReason({ message }: Error): readonly string[] {
  const reason = /SSL routines:\w*:([\w ]+):/.exec(message)?.[1];
  return reason ? [`ERR_SSL_${reason.toUpperCase().replaceAll(' ', '_')}`] : [];
}
