import type { ReplyHeaders } from '../base/replyHeaders.ts';

/** The largest number of redirects of a download. Each target is checked like the first address. */
export const maxRedirects = 5;

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function isRedirect(status: number): boolean {
  return redirectStatuses.has(status);
}

/** The target of a redirect; undefined for any other reply or an invalid location. */
export function findRedirectTarget(status: number, { location }: ReplyHeaders, from: URL): URL | undefined {
  const target = typeof location === 'string' ? location : location?.[0];
  if (!isRedirect(status) || target === undefined || !URL.canParse(target, from.href)) return undefined;
  return new URL(target, from);
}
