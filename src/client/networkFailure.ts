import { classifyNetworkError, listErrorCodes, type NetworkErrorKind } from '../http/networkError.ts';
import type { ProxyError } from '../http/proxy.ts';
import { explain, type SentenceArgs, type SentenceIdWith } from '../wire/explanations/explanation.ts';
import type { FailureReason } from '../wire/failures/gatewayError.ts';
import { createUnsendableFailure, type FailureDetails } from '../wire/failures/replyFailure.ts';
import { createForbiddenAddressFailure } from './downloadFailure.ts';
import type { RequestPhase } from './requestTimeouts.ts';

interface ExplainedFailure {
  readonly reason?: FailureDetails['reason'];
  readonly sentence: SentenceIdWith<'host'>;
}

const nameNotResolved = { reason: 'dns', sentence: 'name-not-resolved' } as const;
const unknownAuthority = {
  reason: 'tls-unknown-authority',
  sentence: 'certificate-authority-unknown',
} as const;

const explainedFailures: { readonly [Kind in NetworkErrorKind]?: ExplainedFailure } = {
  'not-private': { reason: 'unusable-address', sentence: 'plain-http-not-private' },
  'name-unknown': nameNotResolved,
  'name-not-looked-up': nameNotResolved,
  refused: { reason: 'refused', sentence: 'connection-refused' },
  'connect-timeout': { reason: 'connect-timeout', sentence: 'host-unresponsive' },
  'certificate-expired': { reason: 'tls-expired', sentence: 'certificate-out-of-date' },
  'certificate-of-another-host': { reason: 'tls-wrong-host', sentence: 'certificate-of-another-host' },
  'certificate-self-signed': unknownAuthority,
  'certificate-of-unknown-authority': unknownAuthority,
  'not-tls': { reason: 'tls-not-tls', sentence: 'host-without-tls' },
  tls: { reason: 'tls-other', sentence: 'tls-not-agreed' },
  'headers-too-large': { reason: 'too-large', sentence: 'headers-too-large' },
  'not-http': { reason: 'not-a-gateway', sentence: 'host-without-http' },
  'no-route': { sentence: 'network-unreachable' },
};

/**
 * Explains a failure of the network below HTTP.
 *
 * @param host host and port, for the explanation
 * @param phase the progress of the request
 */
export function createNetworkFailure(
  error: unknown,
  host: SentenceArgs['host'],
  phase: RequestPhase,
): FailureDetails {
  const kind = classifyNetworkError(error);
  if (kind === 'unsendable') return createUnsendableFailure(error);
  if (kind === 'not-public') return createForbiddenAddressFailure('not-public', host);
  const explained = kind && explainedFailures[kind];
  if (explained) {
    const { reason, sentence } = explained;
    return {
      kind: 'unreachable',
      ...(reason && { reason }),
      explanation: explain(sentence, { host }),
      cause: error,
    };
  }
  const reason = phase === 'reading' && !listErrorCodes(error).includes('ECONNRESET') ? 'cut' : 'reset';
  return {
    kind: 'unreachable',
    reason,
    explanation: explain(connectionLostSentences[phase], { host }),
    cause: error,
  };
}

/** Finds the reason of a network failure by its codes. */
function findReason(error: unknown): FailureDetails['reason'] {
  const kind = classifyNetworkError(error);
  return kind && explainedFailures[kind]?.reason;
}

const connectionLostSentences = {
  connecting: 'connection-lost-before-sending',
  waiting: 'connection-lost-before-reply',
  reading: 'connection-lost-during-reply',
} as const satisfies Record<RequestPhase, SentenceIdWith<'host'>>;

/**
 * Explains a failure of a proxy. The request did not reach the gateway, so the gateway neither refused it nor
 * created a task.
 */
export function createProxyFailure(error: ProxyError, host: string): FailureDetails {
  return { kind: 'unreachable', ...explainProxyError(error, host), cause: error };
}

function explainProxyError(
  { problem, proxy, status = 0, cause }: ProxyError,
  host: string,
): Pick<FailureDetails, 'reason' | 'explanation'> {
  switch (problem) {
    case 'refused':
      return status === 407
        ? { reason: 'proxy-credentials', explanation: explain('proxy-requires-credentials', { proxy }) }
        : {
            reason: 'proxy-refused',
            explanation: explain(status >= 500 ? 'proxy-cannot-reach-host' : 'proxy-refused', {
              proxy,
              host,
              status,
            }),
          };
    case 'unused':
      return { reason: 'proxy', explanation: explain('proxy-unused', { proxy, host }) };
    case 'unusable': {
      const reason = findReason(cause);
      const sentence = (reason && proxySentences[reason]) ?? 'proxy-closed-connection';
      return { reason: 'proxy', explanation: explain(sentence, { proxy }) };
    }
  }
}

const proxySentences: { readonly [Reason in FailureReason]?: SentenceIdWith<'proxy'> } = {
  dns: 'proxy-name-not-resolved',
  refused: 'proxy-connection-refused',
  'connect-timeout': 'proxy-unresponsive',
  'tls-expired': 'proxy-certificate-out-of-date',
  'tls-wrong-host': 'proxy-certificate-of-another-host',
  'tls-unknown-authority': 'proxy-certificate-authority-unknown',
  'tls-not-tls': 'proxy-without-tls',
  'tls-other': 'proxy-tls-not-agreed',
  'not-a-gateway': 'not-a-proxy',
};
