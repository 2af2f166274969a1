import { notPrivateCode } from './privateAddress.ts';
import { forbiddenAddressCode } from './publicAddress.ts';

/** What failed below HTTP, by the codes of Node, its TLS library and undici. */
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

/** The first match counts. */
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
  // What undici's parser takes for impossible fails an assertion. Node looks for the words of that one in the
  // source, which in a bundle is a SyntaxError.
  ['not-http', /^(HPE_\w+|HTTPParserError|ERR_ASSERTION|SyntaxError)$/],
  ['no-route', /^(ENETUNREACH|EHOSTUNREACH|ENETDOWN|EADDRNOTAVAIL)$/],
];

/** The kind of a network error; undefined for any other error, such as a connection that broke. */
export function networkErrorKind(error: unknown): NetworkErrorKind | undefined {
  const codes = errorCodes(error);
  return kinds.find(([, pattern]) => codes.some((code) => pattern.test(code)))?.[0];
}

/**
 * The codes of an error, of the errors it bundles and of its causes. Without a code the name of the error
 * counts.
 */
export function errorCodes(error: unknown): readonly string[] {
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
