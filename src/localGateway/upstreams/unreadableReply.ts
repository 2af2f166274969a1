import type { HttpReply } from './upstreamExchange.ts';
import { type FailingUpstream, unanswered, upstreamError } from './upstreamFailure.ts';

/**
 * Refuses a reply that no API sends: a web page, or nothing where something was asked for. Of a reply that does
 * not say its length and streams nothing, the first bytes are waited for; of any other nothing is.
 *
 * @throws {HttpError}
 */
export function refuseUnreadable(
  upstream: FailingUpstream,
  { statusCode, headers, body }: HttpReply,
  mayBeEmpty: boolean,
): Promise<void> | undefined {
  const type = headers['content-type']?.toLowerCase() ?? '';
  if (type.startsWith('text/html')) {
    body.destroy();
    throw webPage(upstream, statusCode);
  }
  if (mayBeEmpty || statusCode >= 300 || type.startsWith('text/event-stream')) return undefined;
  const length = headers['content-length'];
  return length !== undefined && length !== '0' ? undefined : refuseNothing(upstream, body);
}

async function refuseNothing(upstream: FailingUpstream, body: HttpReply['body']): Promise<void> {
  const isSomething = await body.isSomething().catch((error: unknown) => {
    throw unanswered(upstream, error, true);
  });
  if (!isSomething) throw nothing(upstream);
}

function nothing({ name }: FailingUpstream) {
  const message = `Upstream '${name}' answered with nothing. Check its address and the path in its baseUrl.`;
  return upstreamError(502, message, 'upstream_empty');
}

/** Its status is kept where it is one of a failure. */
function webPage({ name }: FailingUpstream, status: number) {
  const message = `Upstream '${name}' answered ${status} with a web page. Check its address and the path in its baseUrl.`;
  return upstreamError(status >= 400 ? status : 502, message, 'upstream_web_page');
}
