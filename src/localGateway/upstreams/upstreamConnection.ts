import type { Dispatcher } from 'undici';
import { createDispatcher } from './dispatcher.ts';
import { KeyError, type KeySource } from './keys/keySource.ts';
import { type HttpReply, UpstreamExchange } from './upstreamExchange.ts';
import {
  type FailingUpstream,
  redirected,
  refused,
  refusesCredential,
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
  readonly body?: Uint8Array;
  readonly signal: AbortSignal;
}

/** What an upstream answered, with the key that it was asked with. */
export interface Exchanged {
  readonly reply: HttpReply;
  readonly key: string | undefined;
}

/** The connections to one upstream. */
export interface UpstreamConnection {
  /**
   * Sends a request once, with the key. Redirects are refused.
   *
   * @throws {HttpError} when nothing, a redirect or a refusal of the key came back
   */
  exchange(request: UpstreamRequest): Promise<Exchanged>;
  /** Ends the replies under way. */
  close(): Promise<void>;
  /** Waits for the replies under way. */
  drain(): Promise<void>;
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

  function wayTo(base: URL): Dispatcher {
    const known = ways.get(base.origin);
    if (known) return known;
    const way = createDispatcher(base, env);
    ways.set(base.origin, way);
    return way;
  }

  async function usableKey(identity: FailingUpstream, signal: AbortSignal): Promise<string | undefined> {
    const value = await key.read(signal).catch((error: unknown) => {
      throw error instanceof KeyError ? unusable(identity, error.message) : error;
    });
    if (value !== undefined && !/^[\x21-\x7e]+$/.test(value))
      throw unusable(identity, 'its key holds characters no HTTP header can carry');
    return value;
  }

  return {
    async exchange({ base, path, headers, ...asked }) {
      const identity = { ...told, origin: base.origin };
      const secret = await usableKey(identity, asked.signal);
      const options = {
        method: asked.method,
        ...(asked.body && { body: asked.body }),
        origin: base.origin,
        path: base.pathname.replace(/\/+$/, '') + path,
        headers: secret === undefined ? headers : { ...headers, ...credential(secret) },
      };
      let sending: UpstreamExchange | undefined;
      const answered = async () => {
        sending = new UpstreamExchange(wayTo(base), options, asked.signal);
        return sending.reply;
      };
      const reply = await answered().catch((error: unknown) => {
        throw unanswered(identity, error, sending?.isSent ?? false);
      });
      if (reply.statusCode >= 300 && reply.statusCode < 400) {
        reply.body.destroy();
        throw redirected(identity, String(reply.headers.location ?? ''), secret);
      }
      if (!refusesCredential(reply.statusCode)) return { reply, key: secret };
      // The next request asks for a new one; this one is not sent again.
      if (reply.statusCode === 401 && secret !== undefined) key.refused(secret);
      throw await refused(identity, reply, secret);
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
