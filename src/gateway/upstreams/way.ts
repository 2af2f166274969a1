import tls from 'node:tls';
import { type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { isLoopback } from '../config.ts';
import { ProxyPool, readProxySettings } from './proxy.ts';

/** As long as the longest-thinking models are known to stay silent. */
const silenceMs = 600_000;
const connectTimeoutMs = 10_000;

/**
 * The way to an upstream: as many connections as there are requests, each of which waits for its reply on its
 * own. Where the environment names a proxy, they go through it or not at all; upstreams on this machine are
 * always reached directly. Throws a ProxySettingError.
 */
export function openWay(base: URL, env: NodeJS.ProcessEnv): Dispatcher {
  const connect = { timeout: connectTimeoutMs, allowH2: false, ...trust() };
  const limits = { headersTimeout: silenceMs, bodyTimeout: silenceMs, allowH2: false };
  if (isLoopback(base.hostname)) return new Pool(base.origin, { ...limits, connect });
  return new EnvHttpProxyAgent({
    ...limits,
    ...readProxySettings(env),
    connect,
    requestTls: connect,
    proxyTls: connect,
    clientFactory: (proxy, options) => new ProxyPool(proxy, options),
  });
}

/** The authorities of the system beside the bundled ones, where the runtime can list them. */
function trust(): { readonly rejectUnauthorized: true; readonly secureContext?: tls.SecureContext } {
  // Said aloud, so that no environment variable can switch the check off.
  const check = { rejectUnauthorized: true } as const;
  const system = tls.getCACertificates?.('system') ?? [];
  if (system.length === 0) return check;
  const ca = [...new Set([...tls.getCACertificates('default'), ...system])];
  return { ...check, secureContext: tls.createSecureContext({ ca }) };
}
