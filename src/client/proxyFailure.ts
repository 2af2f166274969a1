import type { ProxyError } from '../http/proxy.ts';
import type { FailureDetails } from '../wire/errorMapping.ts';
import { explain, type SentenceNaming } from '../wire/explanations/explanation.ts';
import type { FailureReason } from '../wire/failure.ts';
import { reasonOfNetworkError } from './networkFailure.ts';

/**
 * Explains a failure of a proxy. The request did not reach the gateway, so nothing was refused or created
 * there (F22).
 */
export function failureOfProxyError(error: ProxyError, host: string): FailureDetails {
  return { kind: 'unreachable', ...whatFailed(error, host), cause: error };
}

function whatFailed(
  { problem, proxy, status = 0, cause }: ProxyError,
  host: string,
): Pick<FailureDetails, 'reason' | 'explanation'> {
  switch (problem) {
    case 'refused':
      return status === 407
        ? { reason: 'proxy-credentials', explanation: explain('proxy-wants-credentials', { proxy }) }
        : { reason: 'proxy-refused', explanation: explain(refusal(status), { proxy, host, status }) };
    case 'unused':
      return { reason: 'proxy', explanation: explain('proxy-unused', { proxy, host }) };
    case 'unusable': {
      const reason = reasonOfNetworkError(cause);
      const sentence = (reason && unusable[reason]) ?? 'proxy-broke-off';
      return { reason: 'proxy', explanation: explain(sentence, { proxy }) };
    }
  }
}

function refusal(status: number): 'proxy-found-no-way' | 'proxy-refused' {
  return status >= 500 ? 'proxy-found-no-way' : 'proxy-refused';
}

const unusable: { readonly [Reason in FailureReason]?: SentenceNaming<'proxy'> } = {
  dns: 'proxy-name-not-resolved',
  refused: 'proxy-connection-refused',
  'connect-timeout': 'proxy-silent',
  'tls-expired': 'proxy-certificate-out-of-date',
  'tls-wrong-host': 'proxy-certificate-of-another-host',
  'tls-unknown-authority': 'proxy-certificate-authority-unknown',
  'tls-not-tls': 'proxy-without-tls',
  'tls-other': 'proxy-tls-not-agreed',
  'not-a-gateway': 'no-proxy-there',
};
