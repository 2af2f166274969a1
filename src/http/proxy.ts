/** Why a proxy prevented a connection. */
type ProxyProblem =
  /** The proxy refused the connection. The status is the reason. */
  | 'refused'
  /** The proxy could not be reached, or is not a proxy. The cause is the reason. */
  | 'unusable'
  /** The proxy is configured, but VS Code would connect without it. */
  | 'unused';

/** Thrown if a proxy prevented the connection to a server. The request was not sent to the server. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly problem: ProxyProblem;
  /** The proxy without user name and password. */
  readonly proxy: string;
  readonly status: number | undefined;

  constructor(
    problem: ProxyProblem,
    proxy: string,
    { status, cause }: { status?: number; cause?: unknown } = {},
  ) {
    super(`the proxy is ${problem}`, { cause });
    this.problem = problem;
    this.proxy = proxy;
    this.status = status;
  }
}

/** Host and port of a proxy, from a URL or from a line of a PAC file, without user name and password. */
export function readProxyHost(address: string): string {
  const target = address.trim().split(/\s+/).at(-1) ?? '';
  const withoutScheme = target.slice(target.indexOf('://') < 0 ? 0 : target.indexOf('://') + 3);
  const host = withoutScheme.slice(withoutScheme.lastIndexOf('@') + 1).split('/', 1)[0] ?? '';
  return /^(\[[\da-f:.%]+\]|[\w.-]+)(:\d+)?$/i.test(host) ? host : 'at an unreadable address';
}

/** Environment variables for a proxy, in order of precedence. VS Code reads all except the last two. */
const variables = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'];

/** The first environment variable with a proxy, and its value. */
export function findProxyVariable(
  env: Readonly<Record<string, string | undefined>>,
): { readonly name: string; readonly value: string } | undefined {
  const name = variables.find((each) => env[each]?.trim());
  return name === undefined ? undefined : { name, value: (env[name] ?? '').trim() };
}
