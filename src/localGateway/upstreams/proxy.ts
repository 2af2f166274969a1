import type { Dispatcher } from 'undici';
import openTunnel from 'undici/lib/api/api-connect.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { ProxyError, proxyVariable } from '../../http/proxy.ts';

/** The variables name no usable proxy. */
export class ProxySettingError extends Error {
  override readonly name = 'ProxySettingError';
}

/** The proxy settings of the environment. */
export interface ProxySettings {
  /** The proxy's address; empty without one. */
  readonly proxy: string;
  readonly noProxy: string;
}

/**
 * Reads the variables. The default scheme of a proxy is http.
 *
 * @throws {ProxySettingError} that names the variable, but not its value, which may hold a password
 */
export function readProxySettings(env: NodeJS.ProcessEnv): ProxySettings {
  const noProxy = env.no_proxy || env.NO_PROXY || '';
  const variable = proxyVariable(env);
  if (!variable) return { proxy: '', noProxy };
  const { name, value } = variable;
  const proxy = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (isUsable(proxy)) return { proxy, noProxy };
  throw new ProxySettingError(
    `the environment variable ${name} names no proxy that can be used; it takes http://host:port or https://host:port, with odd characters of a name and a password encoded`,
  );
}

function isUsable(address: string): boolean {
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

/** Connections through a proxy, whose failures are `ProxyError`s. */
export class ProxyPool extends Pool {
  readonly #proxy: string;

  constructor(proxy: URL, options: object) {
    super(proxy.origin, { ...options, headersTimeout: tunnelTimeoutMs });
    this.#proxy = proxy.origin;
  }

  /** Asks the proxy for a tunnel. */
  override async connect(options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> {
    const opened = await openTunnel.call(this, options).catch((cause: unknown) => {
      throw new ProxyError('unusable', this.#proxy, { cause });
    });
    if (opened.statusCode === 200) return opened;
    opened.socket.on('error', () => {}).destroy();
    throw new ProxyError('refused', this.#proxy, { status: opened.statusCode });
  }
}
