import tls from 'node:tls';
import { buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { skipInterimReplies } from '../../wire/interimReplies.ts';
import { isLoopback } from '../config.ts';
import { ProxyPool, ProxySettingError, readProxySettings } from './proxy.ts';

/** As long as the longest-thinking models are known to stay silent. */
const silenceMs = 600_000;
const connectTimeoutMs = 10_000;

/**
 * The way to an upstream: as many connections as there are requests, each of which waits for its reply on its
 * own. Where the environment names a proxy, they go through it or not at all; upstreams on this machine are
 * always reached directly. Throws a ProxySettingError.
 */
export function openWay(base: URL, env: NodeJS.ProcessEnv): Dispatcher {
  const connect = { timeout: connectTimeoutMs, allowH2: false, ...trust(base) };
  const limits = { headersTimeout: silenceMs, bodyTimeout: silenceMs, allowH2: false };
  if (isLoopback(base.hostname)) return patientPool(base.origin, { ...limits, connect });
  const { proxy, noProxy } = readProxySettings(env);
  return new EnvHttpProxyAgent({
    ...limits,
    factory: patientPool,
    httpProxy: proxy,
    httpsProxy: proxy,
    noProxy,
    connect,
    requestTls: connect,
    proxyTls: connect,
    clientFactory: (proxy, options) => new ProxyPool(proxy, options),
  });
}

/** Connections that take any number of informational replies (100 to 199) before an answer (F14). */
function patientPool(origin: string | URL, options: Pool.Options): Pool {
  const { connect } = options;
  const open = typeof connect === 'function' ? connect : buildConnector({ ...connect });
  return new Pool(origin, {
    ...options,
    connect: (to, done) =>
      open(to, (...opened) => {
        const [, socket] = opened;
        if (socket) skipInterimReplies(socket);
        done(...opened);
      }),
  });
}

/** What whoever starts the gateway has to know of the ways to these upstreams. */
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

/** Made once: the authorities are many, and some systems are slow to list theirs. */
let trusted: tls.SecureContext | undefined;

function trust({ protocol }: URL): {
  readonly rejectUnauthorized: true;
  readonly secureContext?: tls.SecureContext;
} {
  // Said aloud, so that no environment variable can switch the check off.
  const check = { rejectUnauthorized: true } as const;
  if (protocol !== 'https:') return check;
  trusted ??= trustingTheSystem();
  return trusted ? { ...check, secureContext: trusted } : check;
}

/** Trusts the authorities of the system beside the bundled ones, where the runtime can list them. */
function trustingTheSystem(): tls.SecureContext | undefined {
  const system = tls.getCACertificates?.('system') ?? [];
  if (system.length === 0) return undefined;
  return tls.createSecureContext({ ca: [...new Set([...tls.getCACertificates('default'), ...system])] });
}
