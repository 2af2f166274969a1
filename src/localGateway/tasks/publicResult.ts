import type { LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import { decodedBody } from '../../http/contentEncoding.ts';
import {
  forbidden,
  forbiddenAddressCode,
  type IsPublic,
  isPublicAddress,
  publicLookup,
} from '../../http/publicAddress.ts';
import { maxRedirects, redirectTarget } from '../../http/redirects.ts';
import { createDispatcher } from '../upstreams/dispatcher.ts';
import { type HttpReply, UpstreamExchange } from '../upstreams/upstreamExchange.ts';
import { ResultError } from './resultFolder.ts';

/** The bytes of a result. */
export interface FetchedResult {
  readonly mimeType: string;
  readonly body: AsyncIterable<Uint8Array | string>;
}

/** Lets tests use a server of their own in place of one on the Internet. */
export interface PublicNetwork {
  readonly isPublic?: IsPublic;
  /** Finds the addresses of a host; the system's where absent. */
  readonly lookup?: LookupFunction;
  /** Makes the connections to an origin. */
  readonly connect?: (base: URL) => Dispatcher;
}

/**
 * Fetches a result from an address that an upstream named: without any key, by https alone, from public
 * addresses alone. Each redirect is checked as the first address is.
 *
 * @param env names the proxies
 * @throws {ResultError} when nothing may be fetched there, or no result is
 */
export async function fetchPublicResult(
  address: string,
  signal: AbortSignal,
  env: NodeJS.ProcessEnv,
  { isPublic = isPublicAddress, lookup: find, connect }: PublicNetwork = {},
): Promise<FetchedResult> {
  const lookup = publicLookup(isPublic, find);
  if (!URL.canParse(address)) throw new ResultError('its address cannot be read');
  let url = new URL(address);
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    if (forbidden(url, isPublic)) throw new ResultError('its address is no public one of https');
    const dispatcher = connect?.(url) ?? createDispatcher(url, env, lookup);
    const reply = await ask(dispatcher, url, signal);
    const target = redirectTarget(reply.statusCode, reply.headers, url);
    if (!target) return resultIn(reply, dispatcher);
    await end(reply, dispatcher);
    url = target;
  }
  throw new ResultError('it redirects too often');
}

async function ask(dispatcher: Dispatcher, url: URL, signal: AbortSignal): Promise<HttpReply> {
  const options = {
    origin: url.origin,
    path: url.pathname + url.search,
    method: 'GET',
    headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'model-gateway' },
  } as const;
  try {
    return await new UpstreamExchange(dispatcher, options, signal).reply;
  } catch (error) {
    await dispatcher.destroy();
    const { code } = error as { readonly code?: unknown };
    const isForbidden = code === forbiddenAddressCode;
    throw new ResultError(isForbidden ? 'its host leads into a private network' : 'its host did not answer');
  }
}

async function end({ body }: HttpReply, dispatcher: Dispatcher): Promise<void> {
  body.destroy();
  await dispatcher.destroy();
}

async function* closing(body: AsyncIterable<Uint8Array>, dispatcher: Dispatcher): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    await dispatcher.destroy();
  }
}

/** @throws {ResultError} for a reply that holds no result */
function resultIn(reply: HttpReply, dispatcher: Dispatcher): FetchedResult {
  const { statusCode, headers } = reply;
  try {
    const mimeType = resultType(statusCode, headers['content-type']);
    const body = resultBody(closing(reply.body, dispatcher), headers['content-encoding']);
    return { mimeType, body };
  } catch (error) {
    void end(reply, dispatcher);
    throw error;
  }
}

/**
 * The bytes of a result, which some servers compress unasked.
 *
 * @throws {ResultError} when nobody can read them
 */
export function resultBody(
  body: FetchedResult['body'],
  contentEncoding: string | string[] | undefined,
): FetchedResult['body'] {
  const plain = decodedBody(body, String(contentEncoding ?? ''));
  if (!plain) throw new ResultError('it is compressed in an unknown way');
  return plain;
}

/**
 * The type of a result by its reply.
 *
 * @throws {ResultError} when it is no result
 */
export function resultType(status: number, contentType: string | string[] | undefined): string {
  if (status !== 200) throw new ResultError(`its address answered ${status}`);
  const [type = ''] = String(contentType ?? 'application/octet-stream').split(';');
  const known = type.trim().toLowerCase();
  if (/^(?:video|audio|image)\/[\w.+-]+$/.test(known) && known !== 'image/svg+xml') return known;
  if (/^(?:application|binary)\/octet-stream$/.test(known)) return 'video/mp4';
  throw new ResultError('its address answered with something that is no video, picture or sound');
}
