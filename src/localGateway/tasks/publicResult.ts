import type { LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import { errorCode } from '../../base/errors.ts';
import { decodeStream } from '../../http/contentEncoding.ts';
import {
  createPublicLookup,
  findForbiddenReason,
  forbiddenAddressCode,
  type IsPublic,
  isPublicAddress,
} from '../../http/publicAddress.ts';
import { findRedirectTarget, maxRedirects } from '../../http/redirects.ts';
import { createDispatcher } from '../upstreams/dispatcher.ts';
import { type HttpReply, UpstreamExchange } from '../upstreams/upstreamExchange.ts';
import { ResultError } from './resultFolder.ts';

export interface FetchedResult {
  readonly mimeType: string;
  readonly body: AsyncIterable<Uint8Array | string>;
}

/** Replacements for the network, so that tests can use their own server instead of the Internet. */
interface PublicNetwork {
  readonly isPublic?: IsPublic;
  /** Finds the addresses of a host. The system's lookup is used if absent. */
  readonly lookup?: LookupFunction;
  /** Creates the connections to an origin. */
  readonly connect?: (base: URL) => Dispatcher;
}

/**
 * Fetches a result from an address in an upstream's record. No key is sent, and only public https addresses are
 * allowed. Each redirect is checked like the first address.
 *
 * @param env names the proxies
 * @throws {ResultError} if the address is not allowed or has no result
 */
export async function fetchPublicResult(
  address: string,
  signal: AbortSignal,
  env: NodeJS.ProcessEnv,
  { isPublic = isPublicAddress, lookup: lookUpHost, connect }: PublicNetwork = {},
): Promise<FetchedResult> {
  const lookup = createPublicLookup(isPublic, lookUpHost);
  if (!URL.canParse(address)) throw new ResultError('its address cannot be read');
  let url = new URL(address);
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    if (findForbiddenReason(url, isPublic))
      throw new ResultError('its address is not a public https address');
    const dispatcher = connect?.(url) ?? createDispatcher(url, env, lookup);
    const reply = await requestResult(dispatcher, url, signal);
    const target = findRedirectTarget(reply.statusCode, reply.headers, url);
    if (!target) return readResult(reply, dispatcher);
    await dropReply(reply, dispatcher);
    url = target;
  }
  throw new ResultError('its address redirects too often');
}

async function requestResult(dispatcher: Dispatcher, url: URL, signal: AbortSignal): Promise<HttpReply> {
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
    const isForbidden = errorCode(error) === forbiddenAddressCode;
    throw new ResultError(
      isForbidden ? 'its host resolves to an address in a private network' : 'its host did not reply',
    );
  }
}

async function dropReply({ body }: HttpReply, dispatcher: Dispatcher): Promise<void> {
  body.destroy();
  await dispatcher.destroy();
}

async function* closeDispatcherAfter(
  body: AsyncIterable<Uint8Array>,
  dispatcher: Dispatcher,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    await dispatcher.destroy();
  }
}

/** @throws {ResultError} for a reply without a result */
function readResult(reply: HttpReply, dispatcher: Dispatcher): FetchedResult {
  const { statusCode, headers } = reply;
  try {
    const mimeType = readResultType(statusCode, headers['content-type']);
    const body = decompressResult(closeDispatcherAfter(reply.body, dispatcher), headers['content-encoding']);
    return { mimeType, body };
  } catch (error) {
    void dropReply(reply, dispatcher);
    throw error;
  }
}

/**
 * Decompresses the bytes of a result. Some servers compress them although the request does not allow it.
 *
 * @throws {ResultError} if the compression is unknown
 */
export function decompressResult(
  body: FetchedResult['body'],
  contentEncoding: string | string[] | undefined,
): FetchedResult['body'] {
  const plain = decodeStream(body, String(contentEncoding ?? ''));
  if (!plain) throw new ResultError('its compression is not supported');
  return plain;
}

/**
 * Reads the type of a result from the head of its reply. Bytes of an unspecified type are treated as a video.
 *
 * @throws {ResultError} if the reply is not a result
 */
export function readResultType(status: number, contentType: string | string[] | undefined): string {
  if (status !== 200) throw new ResultError(`its address returned ${status}`);
  const [type = ''] = String(contentType ?? 'application/octet-stream').split(';');
  const mimeType = type.trim().toLowerCase();
  if (/^(?:video|audio|image)\/[\w.+-]+$/.test(mimeType) && mimeType !== 'image/svg+xml') return mimeType;
  if (/^(?:application|binary)\/octet-stream$/.test(mimeType)) return 'video/mp4';
  throw new ResultError('its address did not return a video, picture or sound');
}
