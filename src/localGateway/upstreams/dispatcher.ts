import type { LookupFunction } from 'node:net';
import type tls from 'node:tls';
import type { Dispatcher } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { isLoopback } from '../../base/loopback.ts';
import { acceptInterimReplies } from '../../http/interimReplies.ts';
import { lookUp } from '../../http/lookup.ts';
import { privateLookup } from '../../http/privateAddress.ts';
import { connectOptions, secureContext } from '../../http/trust.ts';
import { ProxyPool, ProxySettingError, readProxySettings } from './proxy.ts';

/** The longest silence known of models that reason for long, in milliseconds. */
const silenceMs = 600_000;
const connectTimeoutMs = 10_000;

/** Created once: there are many authorities, and some systems list theirs slowly. */
let trusted: tls.SecureContext | undefined;

/**
 * Creates the connections to an upstream, as many as there are requests. Where the environment names a proxy,
 * they go through it or fail. Upstreams on this machine are always reached directly, and so is plain http, which
 * must not leave a private network.
 *
 * @param lookup finds the addresses of a host that is reached without a proxy
 * @throws {ProxySettingError}
 */
export function createDispatcher(base: URL, env: NodeJS.ProcessEnv, lookup?: LookupFunction): Dispatcher {
  if (base.protocol === 'https:') trusted ??= secureContext();
  const connect = { ...connectOptions(trusted), timeout: connectTimeoutMs };
  const limits = { headersTimeout: silenceMs, bodyTimeout: silenceMs, allowH2: false };
  if (isLoopback(base.hostname))
    return createPool(base.origin, { ...limits, connect: { ...connect, lookup: lookUp } });
  if (base.protocol === 'http:')
    return createPool(base.origin, { ...limits, connect: { ...connect, lookup: privateLookup(lookup) } });
  const { proxy, noProxy } = readProxySettings(env);
  return new EnvHttpProxyAgent({
    ...limits,
    factory: createPool,
    httpProxy: proxy,
    httpsProxy: proxy,
    noProxy,
    connect: { ...connect, ...(lookup && { lookup }) },
    requestTls: connect,
    proxyTls: connect,
    clientFactory: (proxy, options) => new ProxyPool(proxy, options),
  });
}

function createPool(origin: string | URL, options: Pool.Options): Pool {
  const { connect } = options;
  const open = typeof connect === 'function' ? connect : buildConnector({ ...connect });
  return new Pool(origin, { ...options, connect: acceptInterimReplies(open) });
}

/** What to tell whoever starts the gateway about the connections to these upstreams. */
export function noticesOf(bases: readonly URL[], env: NodeJS.ProcessEnv): readonly string[] {
  const notices: string[] = [];
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0' && bases.length > 0)
    notices.push('NODE_TLS_REJECT_UNAUTHORIZED is not followed: the certificates of upstreams are checked.');
  if (bases.every(({ hostname }) => isLoopback(hostname))) return notices;
  try {
    const { proxy } = readProxySettings(env);
    if (proxy !== '')
      notices.push(
        `Upstreams on other machines are reached through the proxy ${new URL(proxy).origin}, but for those in NO_PROXY.`,
      );
  } catch (error) {
    if (!(error instanceof ProxySettingError)) throw error;
    notices.push(`Upstreams on other machines cannot be reached: ${error.message}.`);
  }
  return notices;
}
