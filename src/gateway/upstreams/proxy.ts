import { type Dispatcher, Pool } from 'undici';

/** The variables name no proxy that can be used. */
export class ProxySettingError extends Error {
  override readonly name = 'ProxySettingError';
}

/** The variables that name proxies, as `HTTP_PROXY` and its like have come to be read. */
export interface ProxySettings {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

/**
 * Reads the variables, of which the spelling in small letters comes first. A proxy without a scheme is one of
 * http. Throws a ProxySettingError, which names the variable and never its value: that may hold a password.
 */
export function readProxySettings(env: NodeJS.ProcessEnv): ProxySettings {
  const http = proxyVariable(env, 'HTTP_PROXY');
  return {
    httpProxy: http,
    httpsProxy: proxyVariable(env, 'HTTPS_PROXY') || http,
    noProxy: env.no_proxy ?? env.NO_PROXY ?? '',
  };
}

function proxyVariable(env: NodeJS.ProcessEnv, name: string): string {
  const value = (env[name.toLowerCase()] ?? env[name] ?? '').trim();
  if (value === '') return '';
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const isUsable = URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
  if (isUsable) return address;
  throw new ProxySettingError(
    `the environment variable ${name} names no proxy that can be used; it takes http://host:port or https://host:port`,
  );
}

/** A proxy could not be reached, or opened no way: nothing of the request has left. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  /** Its address, without the name and the password that it may want. */
  readonly proxy: string;
  /** What it answered instead; undefined where it did not answer. */
  readonly status: number | undefined;

  constructor(proxy: string, { status, cause }: { readonly status?: number; readonly cause?: unknown }) {
    super('the proxy opened no way', { cause });
    this.proxy = proxy;
    this.status = status;
  }
}

/** How long a proxy may take to open a way, in milliseconds. */
const tunnelTimeoutMs = 10_000;

/** Connections to a proxy, whose failures are told as its own. */
export class ProxyPool extends Pool {
  readonly #proxy: string;

  constructor(proxy: URL, options: object) {
    super(proxy.origin, { ...options, headersTimeout: tunnelTimeoutMs });
    this.#proxy = proxy.origin;
  }

  override connect(options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData>;
  override connect(
    options: Dispatcher.ConnectOptions,
    callback: (error: Error | null, data: Dispatcher.ConnectData) => void,
  ): void;
  override connect(
    options: Dispatcher.ConnectOptions,
    callback?: (error: Error | null, data: Dispatcher.ConnectData) => void,
  ): Promise<Dispatcher.ConnectData> | undefined {
    if (callback) {
      super.connect(options, callback);
      return undefined;
    }
    return this.#open(options);
  }

  async #open(options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> {
    const opened = await super.connect(options).catch((cause: unknown) => {
      throw new ProxyError(this.#proxy, { cause });
    });
    if (opened.statusCode === 200) return opened;
    opened.socket.on('error', () => {}).destroy();
    throw new ProxyError(this.#proxy, { status: opened.statusCode });
  }
}
