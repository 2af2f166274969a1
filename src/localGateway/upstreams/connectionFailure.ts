/** Explains why a request brought no reply. Uses error codes only, so that nothing that was sent can leak. */
export function describeConnectionFailure(error: unknown): {
  readonly cause: string;
  readonly timedOut: boolean;
} {
  const code = codeOf(error);
  const cause =
    code.startsWith('HPE_') || parserErrors.has(code)
      ? noHttp
      : (causes[code] ?? `the connection failed (${code})`);
  return { cause, timedOut: timeouts.has(code) };
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const { code } = error as { readonly code?: unknown };
  // A host with several addresses fails with one error that holds the others.
  if (error instanceof AggregateError && code === undefined) return codeOf(error.errors[0]);
  // The code of a timeout is a number, which says less than its name.
  return typeof code === 'string' ? code : error.name;
}

/**
 * The parser's own errors have codes with its name, or none. What it takes for impossible fails an assertion, whose
 * words Node reads in the source, which fails in a bundle.
 */
const parserErrors = new Set(['HTTPParserError', 'ERR_ASSERTION', 'SyntaxError']);
const noHttp = 'its answer is not HTTP, or was cut';

const timeouts = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
  'TimeoutError',
]);

const causes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused; is it running?',
  ENOTFOUND: 'its host name is not known',
  EAI_AGAIN: 'its host name could not be looked up; is this machine offline?',
  ECONNRESET: 'it closed the connection',
  UND_ERR_SOCKET: 'it closed the connection',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'its answer has another length than it says',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'its answer is too long',
  ETIMEDOUT: 'connecting took too long',
  UND_ERR_CONNECT_TIMEOUT: 'connecting took too long',
  UND_ERR_HEADERS_OVERFLOW: 'its answer has more headers than any gateway reads',
  UND_ERR_HEADERS_TIMEOUT: 'it stayed silent for too long',
  UND_ERR_BODY_TIMEOUT: 'it stayed silent for too long',
  TimeoutError: 'it took too long',
  CERT_HAS_EXPIRED: 'its TLS certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its TLS certificate is for another host',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its TLS certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its TLS certificate comes from an authority not trusted here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its TLS certificate comes from an authority not trusted here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its TLS certificate comes from an authority not trusted here',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS; is it an http address?',
};
