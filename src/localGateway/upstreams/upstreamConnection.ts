import type { Dispatcher } from 'undici';
import type { Cancellation } from '../../base/cancellation.ts';
import { type BodyPieces, totalLength } from '../json/pieces.ts';
import { createDispatcher } from './dispatcher.ts';
import { KeyError, type KeySource } from './keys/keySource.ts';
import { type HttpReply, UpstreamExchange } from './upstreamExchange.ts';
import {
  credentialCode,
  type FailingUpstream,
  noReplyError,
  redirectError,
  refusalError,
  unusableError,
} from './upstreamFailure.ts';

/** A request to an upstream. */
interface UpstreamRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The address before the path. */
  readonly base: URL;
  /** Relative to the path of the base, with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: BodyPieces | undefined;
  readonly signal: Cancellation;
}

/** An upstream's reply, and the key that was sent. */
interface ExchangeResult {
  readonly reply: HttpReply;
  readonly key: string | undefined;
  /** The upstream that replied, for error messages. */
  readonly upstream: FailingUpstream;
}

/** The connections to one upstream. */
interface UpstreamConnection {
  /**
   * Sends a request once, with the key. Redirects are refused. 304 is a valid reply to a conditional request.
   *
   * @throws {HttpError} if there is no reply, or if the reply is a redirect or refuses the key
   */
  exchange(request: UpstreamRequest): Promise<ExchangeResult>;
  /** Aborts the replies under way. */
  close(): Promise<void>;
  /** Waits for the replies under way. */
  drain(): Promise<void>;
}

/** An address before the paths of requests. */
interface UpstreamAddress {
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
  /** By origin: some upstreams have two. */
  const dispatchers = new Map<string, Dispatcher>();
  const commonIdentity = {
    name: upstream.name,
    ...(key.location !== undefined && { keyLocation: key.location }),
  };
  const addresses = new WeakMap<URL, UpstreamAddress>();

  /** Addresses are parsed once, because each access to a part of a URL costs time. */
  function addressFor(base: URL): UpstreamAddress {
    const existing = addresses.get(base);
    if (existing) return existing;
    const address = {
      base,
      identity: { ...commonIdentity, origin: base.origin },
      prefix: base.pathname.replace(/(?<!\/)\/+$/, ''),
    };
    addresses.set(base, address);
    return address;
  }

  function dispatcherFor({ base, identity: { origin } }: UpstreamAddress): Dispatcher {
    const existing = dispatchers.get(origin);
    if (existing) return existing;
    const dispatcher = createDispatcher(base, env);
    dispatchers.set(origin, dispatcher);
    return dispatcher;
  }

  return {
    async exchange({ method, base, path, headers, body, signal }) {
      const address = addressFor(base);
      const { identity, prefix } = address;
      let secret: string | undefined;
      try {
        secret = await key.read(signal);
      } catch (error) {
        throw error instanceof KeyError ? unusableError(identity, error.message) : error;
      }
      if (secret !== undefined && !/^[\x21-\x7e]+$/.test(secret))
        throw unusableError(identity, 'its key contains characters that are not allowed in HTTP headers');
      const options = {
        method,
        body: sentBody(body),
        origin: identity.origin,
        path: prefix + path,
        headers: sentHeaders(headers, secret === undefined ? undefined : credential(secret), body),
      };
      let exchange: UpstreamExchange | undefined;
      let reply: HttpReply;
      try {
        exchange = new UpstreamExchange(dispatcherFor(address), options, signal);
        reply = await exchange.reply;
      } catch (error) {
        throw noReplyError(identity, error, exchange?.isSent ?? false);
      }
      if (reply.statusCode >= 300 && reply.statusCode < 400 && !isUnchanged(reply, method, headers)) {
        reply.body.destroy();
        throw redirectError(identity, reply, secret);
      }
      const error = reply.statusCode < 400 ? undefined : await refusalError(identity, reply, secret);
      if (!error) return { reply, key: secret, upstream: identity };
      // The next request reads a new key; this one is not sent again. A 403 concerns the rights of the key.
      const isWrongKey = error.code === credentialCode && reply.statusCode < 402;
      if (isWrongKey && secret !== undefined) key.refused(secret);
      throw error;
    },

    async close() {
      key.close();
      await Promise.all([...dispatchers.values()].map((each) => each.destroy()));
    },

    async drain() {
      await Promise.all([...dispatchers.values()].map((each) => each.close()));
      key.close();
    },
  };
}

/** Whether the reply states that the caller's copy has not changed. */
function isUnchanged(
  { statusCode }: HttpReply,
  method: UpstreamRequest['method'],
  headers: UpstreamRequest['headers'],
): boolean {
  if (statusCode !== 304 || method !== 'GET') return false;
  return headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined;
}

type SentBody = Dispatcher.DispatchOptions['body'];

/**
 * undici also accepts pieces, although its types do not show it. It writes a single piece together with the head.
 */
function sentBody(pieces: BodyPieces | undefined): SentBody {
  if (!pieces || pieces.length > 1) return pieces as SentBody;
  return pieces[0];
}

/** undici does not compute the length of several pieces. */
function sentHeaders(
  headers: Readonly<Record<string, string>>,
  credential: Readonly<Record<string, string>> | undefined,
  body: BodyPieces | undefined,
): Readonly<Record<string, string>> {
  if (!credential && (!body || body.length === 1)) return headers;
  const sent: Record<string, string> = { ...headers, ...credential };
  if (credential) {
    // The key has to be hidden in the reply, so the reply must be complete and readable.
    sent['accept-encoding'] = 'identity';
    delete sent.range;
  }
  if (body && body.length > 1) sent['content-length'] = String(totalLength(body));
  return sent;
}
