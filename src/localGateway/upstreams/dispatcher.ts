import type { LookupFunction } from 'node:net';
import type tls from 'node:tls';
import type { Dispatcher } from 'undici';
import openTunnel from 'undici/lib/api/api-connect.js';
import buildConnector from 'undici/lib/core/connect.js';
import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { isLoopback } from '../../base/loopback.ts';
import { lookUp } from '../../http/dnsLookup.ts';
import { acceptInterimReplies } from '../../http/interimReplies.ts';
import { createPrivateLookup } from '../../http/privateAddress.ts';
import { findProxyVariable, ProxyError } from '../../http/proxy.ts';
import { createConnectOptions, createSecureContext } from '../../http/trustedCertificates.ts';

/** Reasoning models are silent for up to this time, in milliseconds. */
const maxSilenceMs = 600_000;
const connectTimeoutMs = 10_000;

/** Created once, because some systems list their many certificate authorities slowly. */
let trustedContext: tls.SecureContext | undefined;

/**
 * Creates the dispatcher for an upstream, with a connection for each concurrent request. If the environment names a
 * proxy, the connections use it or fail. Upstreams on this machine, and upstreams with plain http, are always
 * reached directly, because plain http must not leave a private network.
 *
 * @param lookup finds the addresses of a host that is reached without a proxy
 * @throws {ProxySettingError}
 */
export function createDispatcher(base: URL, env: NodeJS.ProcessEnv, lookup?: LookupFunction): Dispatcher {
  if (base.protocol === 'https:') trustedContext ??= createSecureContext();
  const connect = { ...createConnectOptions(trustedContext), timeout: connectTimeoutMs };
  const limits = { headersTimeout: maxSilenceMs, bodyTimeout: maxSilenceMs, allowH2: false };
  if (isLoopback(base.hostname))
    return createPool(base.origin, { ...limits, connect: { ...connect, lookup: lookUp } });
  if (base.protocol === 'http:')
    return createPool(base.origin, {
      ...limits,
      connect: { ...connect, lookup: createPrivateLookup(lookup) },
    });
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

/** Lists notes for the user about the connections to these upstreams. */
export function listConnectionNotices(bases: readonly URL[], env: NodeJS.ProcessEnv): readonly string[] {
  const notices: string[] = [];
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0' && bases.length > 0)
    notices.push('NODE_TLS_REJECT_UNAUTHORIZED is ignored: the certificates of upstreams are checked.');
  if (bases.every(({ hostname }) => isLoopback(hostname))) return notices;
  try {
    const { proxy } = readProxySettings(env);
    if (proxy !== '')
      notices.push(
        `Upstreams on other machines are reached through the proxy ${new URL(proxy).origin}, except those in NO_PROXY.`,
      );
  } catch (error) {
    if (!(error instanceof ProxySettingError)) throw error;
    notices.push(`Upstreams on other machines cannot be reached: ${error.message}.`);
  }
  return notices;
}

/** An environment variable does not name a usable proxy. */
export class ProxySettingError extends Error {
  override readonly name = 'ProxySettingError';
}

interface ProxySettings {
  /** The proxy's address; empty without one. */
  readonly proxy: string;
  readonly noProxy: string;
}

/**
 * Reads the proxy settings of the environment. The default scheme of a proxy is http.
 *
 * @throws {ProxySettingError} with the name of the variable, but not its value, which may contain a password
 */
function readProxySettings(env: NodeJS.ProcessEnv): ProxySettings {
  const noProxy = env.no_proxy || env.NO_PROXY || '';
  const variable = findProxyVariable(env);
  if (!variable) return { proxy: '', noProxy };
  const { name, value } = variable;
  const proxy = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (isUsableProxy(proxy)) return { proxy, noProxy };
  throw new ProxySettingError(
    `the environment variable ${name} does not name a usable proxy; set it to http://host:port or https://host:port, and percent-encode special characters in the user name and the password`,
  );
}

function isUsableProxy(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, username, password } = new URL(address);
  const isHost = /^([\w.-]+|\[[\da-f:.]+\])$/i.test(hostname);
  return /^https?:$/.test(protocol) && isHost && isDecodable(username) && isDecodable(password);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** How long a proxy may take to open a tunnel, in milliseconds. */
const tunnelTimeoutMs = 10_000;

/** Connections through a proxy. Their failures are `ProxyError`s. */
class ProxyPool extends Pool {
  readonly #proxy: string;

  constructor(proxy: URL, options: object) {
    super(proxy.origin, { ...options, headersTimeout: tunnelTimeoutMs });
    this.#proxy = proxy.origin;
  }

  /** Requests a tunnel from the proxy. */
  override async connect(options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> {
    const tunnel = await openTunnel.call(this, options).catch((cause: unknown) => {
      throw new ProxyError('unusable', this.#proxy, { cause });
    });
    if (tunnel.statusCode === 200) return tunnel;
    tunnel.socket.on('error', () => {}).destroy();
    throw new ProxyError('refused', this.#proxy, { status: tunnel.statusCode });
  }
}
