import type { Dispatcher } from 'undici';
import type { Cancellation } from '../../base/cancellation.ts';
import { KeyError } from '../../base/node/keySource.ts';
import { type BodyPieces, countBytes } from '../json/bodyPieces.ts';
import { createDispatcher } from './dispatcher.ts';
import type { KeyRing, TakenKey } from './keys/keyRing.ts';
import type { UpstreamCaller } from './upstream.ts';
import { type HttpReply, UpstreamExchange } from './upstreamExchange.ts';
import {
  type FailingUpstream,
  keysRestingError,
  noReplyError,
  readRefusal,
  redirectError,
  type UpstreamRefusal,
  unusableError,
} from './upstreamFailure.ts';

/** A request to an upstream. */
interface UpstreamRequest extends Pick<UpstreamCaller, 'signal' | 'keyName' | 'noteKey'> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The address before the path. */
  readonly base: URL;
  /** Relative to the path of the base, with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: BodyPieces | undefined;
  /** The model at the upstream; absent for requests about something else. */
  readonly model?: string | undefined;
}

/** An upstream's reply, and the keys that it may contain. */
interface ExchangeResult {
  readonly reply: HttpReply;
  readonly keys: readonly string[];
  /** The upstream that replied, for error messages. */
  readonly upstream: FailingUpstream;
}

/** The connections to one upstream. */
interface UpstreamConnection {
  /**
   * Sends a request once. If the upstream has several keys and refuses one of them, and the refusal proves that
   * nothing was made, the request is sent again with the next key. Redirects are refused. 304 is a valid reply to a
   * conditional request.
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

/** A request with one of the keys, and its reply. */
interface Attempt extends ExchangeResult {
  readonly taken: TakenKey;
  readonly refusal: UpstreamRefusal;
}

/**
 * @param createCredentialHeaders creates the headers that contain the key
 * @param env names the proxies
 */
export function createUpstreamConnection(
  { name }: Pick<FailingUpstream, 'name'>,
  keys: KeyRing,
  createCredentialHeaders: (key: string) => Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv,
): UpstreamConnection {
  /** By origin, because some upstreams have two. */
  const dispatchers = new Map<string, Dispatcher>();
  const addresses = new WeakMap<URL, UpstreamAddress>();

  /** Caches the parsed parts of an address, because each access to a part of a URL costs time. */
  function findAddress(base: URL): UpstreamAddress {
    const existing = addresses.get(base);
    if (existing) return existing;
    const address = {
      base,
      identity: { name, origin: base.origin },
      prefix: base.pathname.replace(/(?<!\/)\/+$/, ''),
    };
    addresses.set(base, address);
    return address;
  }

  function findDispatcher({ base, identity: { origin } }: UpstreamAddress): Dispatcher {
    const existing = dispatchers.get(origin);
    if (existing) return existing;
    const dispatcher = createDispatcher(base, env);
    dispatchers.set(origin, dispatcher);
    return dispatcher;
  }

  /** Sends a request with one key, and reads a refusal. */
  async function sendWithKey(
    address: UpstreamAddress,
    { method, path, headers, body, model, signal }: UpstreamRequest,
    taken: TakenKey,
  ): Promise<Attempt> {
    const { identity, prefix } = address;
    const { value } = taken;
    if (value !== undefined && !/^[\x21-\x7e]+$/.test(value))
      throw unusableError(identity, 'its key contains characters that are not allowed in HTTP headers');
    const options = {
      method,
      body: convertBody(body),
      origin: identity.origin,
      path: prefix + path,
      headers: completeHeaders(
        headers,
        value === undefined ? undefined : createCredentialHeaders(value),
        body,
      ),
    };
    let exchange: UpstreamExchange | undefined;
    let reply: HttpReply;
    try {
      exchange = new UpstreamExchange(findDispatcher(address), options, signal);
      reply = await exchange.reply;
    } catch (error) {
      throw noReplyError(identity, error, exchange?.isSent ?? false);
    }
    const secrets = listSecrets(value);
    if (reply.statusCode >= 300 && reply.statusCode < 400 && !isUnchanged(reply, method, headers)) {
      reply.body.destroy();
      throw redirectError(identity, reply, secrets);
    }
    if (reply.statusCode < 400) return { reply, keys: secrets, upstream: identity, taken, refusal: {} };
    const { location } = taken.key.source;
    const upstream = { ...identity, ...(location !== undefined && { keyLocation: location }) };
    const refusal = await readRefusal(upstream, reply, secrets, value !== undefined);
    const { keyFault } = refusal;
    // The next request reads the key again, unless only a quota or a limit was the reason.
    if (keyFault && refusal.error && value !== undefined) taken.key.source.reportRefused(value);
    if (keyFault) keys.restKey(taken, model, keyFault);
    return { reply, keys: secrets, upstream, taken, refusal };
  }

  function listSecrets(value: string | undefined): readonly string[] {
    if (keys.hasSeveral) return [...new Set([...keys.values, ...(value === undefined ? [] : [value])])];
    return value === undefined ? [] : [value];
  }

  return {
    async exchange(request) {
      const { base, model, keyName, noteKey, signal } = request;
      const address = findAddress(base);
      const refusedAttempts: Attempt[] = [];
      for (;;) {
        const refusedKeys = refusedAttempts.map(({ taken }) => taken.key);
        const taken = await waitForKey(
          address,
          keys.takeKey({ model, keyName, signal }, refusedKeys),
          signal,
        );
        const last = refusedAttempts.at(-1);
        if (!taken && last) return finishExchange(last, keys.findShortestRestMs(model));
        if (!taken)
          throw keysRestingError(address.identity, keys.restingKeys, keys.findShortestRestMs(model));
        last?.reply.body.destroy();
        const { name } = taken.key;
        if (name !== undefined) noteKey?.({ name, refused: refusedAttempts.map(describeAttempt) });
        const next = await sendWithKey(address, request, taken);
        if (!keys.hasSeveral || !next.refusal.keyFault) return finishExchange(next, undefined);
        refusedAttempts.push(next);
      }
    },

    async close() {
      keys.close();
      await Promise.all([...dispatchers.values()].map((each) => each.destroy()));
    },

    async drain() {
      await Promise.all([...dispatchers.values()].map((each) => each.close()));
      keys.close();
    },
  };
}

/**
 * Waits for a key.
 *
 * @throws {HttpError} if no key can be read before the signal is aborted
 */
async function waitForKey(
  { identity }: UpstreamAddress,
  key: Promise<TakenKey | undefined>,
  signal: Cancellation,
): Promise<TakenKey | undefined> {
  try {
    return await key;
  } catch (error) {
    if (error instanceof KeyError) throw unusableError(identity, error.message);
    throw signal.aborted ? unusableError(identity, 'its key did not arrive in time') : error;
  }
}

function describeAttempt({ taken, reply }: Attempt): string {
  return `${taken.key.name ?? ''} (${reply.statusCode})`;
}

/**
 * Returns the reply for the caller.
 *
 * @param shortestRestMs the time until another key can be used, in milliseconds; undefined unless all were refused
 * @throws {HttpError} if the reply does not concern the caller
 */
function finishExchange(
  { reply, keys, upstream, refusal }: Attempt,
  shortestRestMs: number | undefined,
): ExchangeResult {
  if (refusal.error) {
    reply.body.destroy();
    throw refusal.error;
  }
  if (shortestRestMs === undefined || refusal.keyFault === undefined) return { reply, keys, upstream };
  const otherHeaders = Object.entries(reply.headers).filter(([name]) => !name.includes('retry-after'));
  const headers = {
    ...Object.fromEntries(otherHeaders),
    'retry-after': String(Math.ceil(shortestRestMs / 1_000)),
  };
  return { reply: { ...reply, headers }, keys, upstream };
}

/** Whether the reply confirms that the caller's copy has not changed. */
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
 * undici accepts several pieces, although its types do not show it. It writes a single piece together with the
 * head.
 */
function convertBody(pieces: BodyPieces | undefined): SentBody {
  if (!pieces || pieces.length > 1) return pieces as SentBody;
  return pieces[0];
}

function completeHeaders(
  headers: Readonly<Record<string, string>>,
  credential: Readonly<Record<string, string>> | undefined,
  body: BodyPieces | undefined,
): Readonly<Record<string, string>> {
  if (!credential && (!body || body.length === 1)) return headers;
  const allHeaders: Record<string, string> = { ...headers, ...credential };
  if (credential) {
    // The key must be hidden in the reply, so the reply must be complete and not compressed.
    allHeaders['accept-encoding'] = 'identity';
    delete allHeaders.range;
  }
  // undici does not compute the length of several pieces.
  if (body && body.length > 1) allHeaders['content-length'] = String(countBytes(body));
  return allHeaders;
}
