import { errorCodes, type NetworkErrorKind, networkErrorKind } from '../../http/networkError.ts';

/** Explains why a request brought no reply. Uses error codes only, so that nothing that was sent can leak. */
export function describeConnectionFailure(error: unknown): {
  readonly cause: string;
  readonly timedOut: boolean;
} {
  const kind = networkErrorKind(error);
  // An error for several addresses has their errors, whose codes say more.
  const code = errorCodes(error).find((each) => each !== 'AggregateError') ?? 'unknown error';
  return {
    cause: (kind && causes[kind]) ?? otherCauses[code] ?? `the connection failed (${code})`,
    timedOut: kind === 'connect-timeout' || kind === 'silent' || code === 'TimeoutError',
  };
}

const causes: { readonly [Kind in NetworkErrorKind]?: string } = {
  'not-private': 'its host name leads out of the private network',
  'name-unknown': 'its host name is not known',
  'name-not-looked-up': 'its host name could not be looked up; is this machine offline?',
  refused: 'the connection was refused; is it running?',
  'connect-timeout': 'connecting took too long',
  silent: 'it stayed silent for too long',
  'certificate-expired': 'its TLS certificate has expired, or is not valid yet',
  'certificate-of-another-host': 'its TLS certificate is for another host',
  'certificate-self-signed': 'its TLS certificate is self-signed',
  'certificate-of-unknown-authority': 'its TLS certificate comes from an authority not trusted here',
  'not-tls': 'it does not speak TLS; is it an http address?',
  'headers-too-large': 'its answer has more headers than any gateway reads',
  'not-http': 'its answer is not HTTP, or was cut',
  'no-route': 'it cannot be reached from this network',
};

const otherCauses: Readonly<Record<string, string>> = {
  ECONNRESET: 'it closed the connection',
  UND_ERR_SOCKET: 'it closed the connection',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'its answer has another length than it says',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'its answer is too long',
  TimeoutError: 'it took too long',
};
