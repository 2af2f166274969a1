import type { FailureDetails } from '../wire/errorMapping.ts';
import type { FailureReason } from '../wire/failure.ts';
import { reasonOfNetworkError } from './networkFailure.ts';
import type { ProxyError } from './transports/proxyError.ts';

/**
 * Explains a failure of a proxy. The request did not reach the gateway, so nothing was refused or created
 * there (F22).
 */
export function failureOfProxyError(error: ProxyError, host: string): FailureDetails {
  return { kind: 'unreachable', ...explain(error, host), cause: error };
}

function explain(
  { problem, proxy, status = 0, cause }: ProxyError,
  host: string,
): Pick<FailureDetails, 'reason' | 'message'> {
  switch (problem) {
    case 'refused':
      return status === 407
        ? { reason: 'proxy-credentials', message: wantsCredentials(proxy) }
        : { reason: 'proxy-refused', message: refused(proxy, host, status) };
    case 'unused':
      return { reason: 'proxy', message: unused(proxy, host) };
    case 'unusable': {
      const reason = reasonOfNetworkError(cause);
      return { reason: 'proxy', message: ((reason && unusable[reason]) ?? brokenOff)(proxy) };
    }
  }
}

function wantsCredentials(proxy: string): string {
  return (
    `The proxy ${proxy} wants to know who you are (HTTP 407): sign in when VS Code asks, or write user name ` +
    'and password into the address in the setting http.proxy (http://user:password@host:port).'
  );
}

function refused(proxy: string, host: string, status: number): string {
  const answer = `(HTTP ${status})`;
  if (status >= 500) {
    return `The proxy ${proxy} found no way to ${host} ${answer}: check the address, or ask whoever runs the proxy.`;
  }
  return (
    `The proxy ${proxy} refused to connect to ${host} ${answer}: ask whoever runs it, or list ${host} in the ` +
    'setting http.noProxy if it can be reached without.'
  );
}

function unused(proxy: string, host: string): string {
  return (
    `A proxy is set (${proxy}), and VS Code cannot use it; nothing was sent to ${host} without it. Write its ` +
    `address into the setting http.proxy (http://host:port), or list ${host} in http.noProxy.`
  );
}

/** Where a user sets a proxy. */
const settings = 'the setting http.proxy (or HTTPS_PROXY)';

const brokenOff = (proxy: string) =>
  `The proxy ${proxy} broke off the connection before there was a way to the gateway: try again, or ask whoever runs it.`;

const unusable: Partial<Record<FailureReason, (proxy: string) => string>> = {
  dns: (proxy) =>
    `The name of the proxy ${proxy} cannot be resolved: check ${settings}, or whether you are online.`,
  refused: (proxy) => `The proxy ${proxy} refuses connections: check its port in ${settings}.`,
  'connect-timeout': (proxy) => `The proxy ${proxy} does not answer: check ${settings}.`,
  'tls-expired': (proxy) =>
    `The certificate of the proxy ${proxy} is out of date: check this machine's clock, or ask whoever runs it.`,
  'tls-wrong-host': (proxy) =>
    `The certificate shown for the proxy ${proxy} is for another host: check ${settings}.`,
  'tls-unknown-authority': (proxy) =>
    `The certificate of the proxy ${proxy} comes from an unknown authority: add that authority to the system's ` +
    'certificates, and keep the setting http.systemCertificates on.',
  'tls-not-tls': (proxy) =>
    `The proxy ${proxy} does not speak TLS: its address in ${settings} should begin with http://.`,
  'tls-other': (proxy) => `No secure connection to the proxy ${proxy} could be agreed on.`,
  'not-a-gateway': (proxy) => `What answers at ${proxy} is no proxy: check the address in ${settings}.`,
};
