import type { Dispatcher } from 'undici';
import type { Cancellation } from '../../base/cancellation.ts';
import { lengthOf, type Pieces } from '../json/pieces.ts';
import { createDispatcher } from './dispatcher.ts';
import { KeyError, type KeySource } from './keys/keySource.ts';
import { type HttpReply, UpstreamExchange } from './upstreamExchange.ts';
import {
  credentialCode,
  elsewhere,
  type FailingUpstream,
  refusal,
  unanswered,
  unusable,
} from './upstreamFailure.ts';

/** A request to an upstream. */
export interface UpstreamRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The address before the path. */
  readonly base: URL;
  /** Below the path of the base, with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Pieces | undefined;
  readonly signal: Cancellation;
}

/** What an upstream answered, with the key that it was asked with. */
export interface Exchanged {
  readonly reply: HttpReply;
  readonly key: string | undefined;
  /** Who answered, for the words of a failure. */
  readonly upstream: FailingUpstream;
}

/** The connections to one upstream. */
export interface UpstreamConnection {
  /**
   * Sends a request once, with the key. Redirects are refused; 304 is a reply where the caller has an earlier one.
   *
   * @throws {HttpError} when nothing, a redirect or a refusal of the key came back
   */
  exchange(request: UpstreamRequest): Promise<Exchanged>;
  /** Ends the replies under way. */
  close(): Promise<void>;
  /** Waits for the replies under way. */
  drain(): Promise<void>;
}

/** An address before the paths of requests. */
interface Place {
  readonly base: URL;
  readonly identity: FailingUpstream;
  /** The beginning of its paths. */
  readonly prefix: string;
}

/**
 * @param credential the headers that carry the key
 * @param env names the proxies
 */
export function upstreamConnection(
  upstream: Pick<FailingUpstream, 'name'>,
  key: KeySource,
  credential: (key: string) => Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv,
): UpstreamConnection {
  /** By origin: some upstreams answer at two. */
  const ways = new Map<string, Dispatcher>();
  const told = { name: upstream.name, ...(key.place !== undefined && { keyPlace: key.place }) };
  const places = new WeakMap<URL, Place>();

  /** Addresses are taken apart once, because each look at a part of one costs. */
  function placeOf(base: URL): Place {
    const known = places.get(base);
    if (known) return known;
    const place = {
      base,
      identity: { ...told, origin: base.origin },
      prefix: base.pathname.replace(/(?<!\/)\/+$/, ''),
    };
    places.set(base, place);
    return place;
  }

  function wayTo({ base, identity: { origin } }: Place): Dispatcher {
    const known = ways.get(origin);
    if (known) return known;
    const way = createDispatcher(base, env);
    ways.set(origin, way);
    return way;
  }

  return {
    async exchange({ method, base, path, headers, body, signal }) {
      const place = placeOf(base);
      const { identity, prefix } = place;
      let secret: string | undefined;
      try {
        secret = await key.read(signal);
      } catch (error) {
        throw error instanceof KeyError ? unusable(identity, error.message) : error;
      }
      if (secret !== undefined && !/^[\x21-\x7e]+$/.test(secret))
        throw unusable(identity, 'its key holds characters no HTTP header can carry');
      const options = {
        method,
        body: sentBody(body),
        origin: identity.origin,
        path: prefix + path,
        headers: sentHeaders(headers, secret === undefined ? undefined : credential(secret), body),
      };
      let sending: UpstreamExchange | undefined;
      let reply: HttpReply;
      try {
        sending = new UpstreamExchange(wayTo(place), options, signal);
        reply = await sending.reply;
      } catch (error) {
        throw unanswered(identity, error, sending?.isSent ?? false);
      }
      if (reply.statusCode >= 300 && reply.statusCode < 400 && !isUnchanged(reply, method, headers)) {
        reply.body.destroy();
        throw elsewhere(identity, reply, secret);
      }
      const error = reply.statusCode < 400 ? undefined : await refusal(identity, reply, secret);
      if (!error) return { reply, key: secret, upstream: identity };
      // The next request reads a new key; this one is not sent again. A 403 is about what the key may do.
      const isWrongKey = error.code === credentialCode && reply.statusCode < 402;
      if (isWrongKey && secret !== undefined) key.refused(secret);
      throw error;
    },

    async close() {
      key.close();
      await Promise.all([...ways.values()].map((way) => way.destroy()));
    },

    async drain() {
      await Promise.all([...ways.values()].map((way) => way.close()));
      key.close();
    },
  };
}

/** Whether the caller, who has what it asks for, is told that it has not changed since. */
function isUnchanged(
  { statusCode }: HttpReply,
  method: UpstreamRequest['method'],
  headers: UpstreamRequest['headers'],
): boolean {
  if (statusCode !== 304 || method !== 'GET') return false;
  return headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined;
}

type SentBody = Dispatcher.DispatchOptions['body'];

/** undici takes pieces too, though its types do not say so. One alone it writes together with the head. */
function sentBody(pieces: Pieces | undefined): SentBody {
  if (!pieces || pieces.length > 1) return pieces as SentBody;
  return pieces[0];
}

/** Of pieces, undici does not count the length. */
function sentHeaders(
  headers: Readonly<Record<string, string>>,
  credential: Readonly<Record<string, string>> | undefined,
  body: Pieces | undefined,
): Readonly<Record<string, string>> {
  if (!credential && (!body || body.length === 1)) return headers;
  const all: Record<string, string> = { ...headers, ...credential };
  if (credential) {
    // The key is hidden in the reply, which therefore has to be read, and whole.
    all['accept-encoding'] = 'identity';
    delete all.range;
  }
  if (body && body.length > 1) all['content-length'] = String(lengthOf(body));
  return all;
}
