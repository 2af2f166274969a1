/** Environment variables for a proxy, in order of precedence. VS Code reads all except the last two. */
const variables = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'];

/** The first environment variable with a proxy, and its value. */
export function findProxyVariable(
  env: Readonly<Record<string, string | undefined>>,
): { readonly name: string; readonly value: string } | undefined {
  const name = variables.find((each) => env[each]?.trim());
  return name === undefined ? undefined : { name, value: (env[name] ?? '').trim() };
}
