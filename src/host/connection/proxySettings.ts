import { findProxyVariable, readProxyHost } from '../../http/proxy.ts';

/** The proxy settings of VS Code and the environment. Their values may be of any type. */
interface EditorProxySettings {
  /** `http.proxySupport`. */
  readonly support: unknown;
  /** `http.proxy`. */
  readonly proxy: unknown;
  /** `http.noProxy`. */
  readonly noProxy: unknown;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns the host and port of the proxy for `origin`. Follows the rules of VS Code's network stack: its setting takes
 * precedence over the environment, and its list of exceptions replaces the list of the environment.
 */
export function findProxy(
  origin: string,
  { support, proxy, noProxy, env }: EditorProxySettings,
): string | undefined {
  if (support === 'off') return undefined;
  const address = typeof proxy === 'string' && proxy.trim() !== '' ? proxy : findProxyVariable(env)?.value;
  return address && !isExcepted(new URL(origin), noProxy, env) ? readProxyHost(address) : undefined;
}

function isExcepted(url: URL, noProxy: unknown, env: EditorProxySettings['env']): boolean {
  const ownEntries = Array.isArray(noProxy) ? noProxy.filter((entry) => typeof entry === 'string') : [];
  const entries =
    ownEntries.length > 0 ? ownEntries.map((entry) => entry.trim()) : readVariableExceptions(env);
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

function readVariableExceptions({ no_proxy, NO_PROXY }: EditorProxySettings['env']): readonly string[] {
  return (no_proxy || NO_PROXY || '').trim().split(',');
}
