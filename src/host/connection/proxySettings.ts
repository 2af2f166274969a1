import { proxyHost } from '../../client/transports/proxyError.ts';

/** What VS Code goes by when it looks for a proxy. The settings may hold anything. */
export interface ProxySettings {
  /** `http.proxySupport`. */
  readonly support: unknown;
  /** `http.proxy`. */
  readonly proxy: unknown;
  /** `http.noProxy`. */
  readonly noProxy: unknown;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** In the order in which the first that is set counts. VS Code itself knows all but the last two. */
const variables = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'];

/**
 * Host and port of the proxy that is set for `origin`, by the rules of VS Code's network stack: its setting
 * counts before the environment, and a list of exceptions in the settings replaces the one in the environment.
 */
export function proxyFor(
  origin: string,
  { support, proxy, noProxy, env }: ProxySettings,
): string | undefined {
  if (support === 'off') return undefined;
  const variable = variables.map((name) => env[name]).find(Boolean);
  const address = typeof proxy === 'string' && proxy.trim() !== '' ? proxy : variable;
  return address && !isExcepted(new URL(origin), noProxy, env) ? proxyHost(address) : undefined;
}

function isExcepted(url: URL, noProxy: unknown, env: ProxySettings['env']): boolean {
  const listed = Array.isArray(noProxy) ? noProxy.filter((entry) => typeof entry === 'string') : [];
  const entries = listed.length > 0 ? listed.map((entry) => entry.trim()) : variableExceptions(env);
  if (entries.includes('*')) return true;
  const host = `.${url.hostname.replace(/^\[|\]$/g, '').toLowerCase()}`;
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return entries.some((entry) => {
    const [name = '', onlyPort] = entry.trim().toLowerCase().split(':', 2);
    return (
      name !== '' &&
      host.endsWith(name.startsWith('.') ? name : `.${name}`) &&
      (!onlyPort || onlyPort === port)
    );
  });
}

function variableExceptions({ no_proxy, NO_PROXY }: ProxySettings['env']): readonly string[] {
  return (no_proxy || NO_PROXY || '').trim().split(',');
}
