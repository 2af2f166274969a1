import { untilAborted } from '../cancellation.ts';
import { type Clock, systemClock } from './clock.ts';
import type { ExpiringKey } from './expiringKey.ts';
import { KeyError, type KeySource } from './keySource.ts';

/**
 * A token is renewed this long before it expires, in milliseconds. A short-lived token is renewed after half its
 * lifetime.
 */
const renewBeforeMs = 5 * 60_000;
/** A token that expires within this time is not sent, because a request takes time to arrive. In milliseconds. */
const marginMs = 10_000;
/** How long a failure is reported to all callers before the next attempt, in milliseconds. */
const failureCacheMs = 2_000;

interface RenewedKeyOptions {
  /** For messages, such as "that its keyCommand prints". */
  readonly location: string;
  /**
   * Gets a new token.
   *
   * @throws {KeyError}
   */
  load(signal: AbortSignal): Promise<ExpiringKey>;
  /** The lifetime of a token without a reported end, in milliseconds. */
  readonly defaultLifetimeMs: number;
  readonly clock?: Clock;
}

interface CachedToken {
  readonly value: string;
  readonly endsAt: number;
  readonly renewAt: number;
}

/**
 * Caches a token and loads the next one before it expires. Callers do not wait while the cached token is valid.
 * Concurrent callers share one load. A failed load is repeated only after a pause.
 */
export function createRenewedKey({
  location,
  load,
  defaultLifetimeMs,
  clock = systemClock,
}: RenewedKeyOptions): KeySource {
  const closing = new AbortController();
  let cachedToken: CachedToken | undefined;
  let renewal: Promise<CachedToken> | undefined;
  let failure: { readonly error: unknown; readonly until: number } | undefined;

  function renew(): Promise<CachedToken> {
    renewal ??= loadNext().finally(() => {
      renewal = undefined;
    });
    return renewal;
  }

  async function loadNext(): Promise<CachedToken> {
    if (failure && clock.monotonic() < failure.until) throw failure.error;
    try {
      cachedToken = toCachedToken(await load(closing.signal));
      failure = undefined;
      return cachedToken;
    } catch (error) {
      failure = { error, until: clock.monotonic() + failureCacheMs };
      throw error;
    }
  }

  function toCachedToken({ value, endsAt }: ExpiringKey): CachedToken {
    const now = clock.now();
    if (endsAt !== undefined && endsAt <= now) {
      const ended = new Date(endsAt).toISOString();
      throw new KeyError(`the key ${location} expired at ${ended}, so it must be renewed there`, 'expired');
    }
    const lifetimeMs = endsAt === undefined ? defaultLifetimeMs : endsAt - now;
    return {
      value,
      endsAt: now + lifetimeMs,
      renewAt: now + Math.max(lifetimeMs - renewBeforeMs, lifetimeMs / 2),
    };
  }

  return {
    location,

    read(signal) {
      const now = clock.now();
      // The whole lifetime of a short-lived token may be within the margin.
      const isUsable =
        cachedToken !== undefined && (now < cachedToken.endsAt - marginMs || now < cachedToken.renewAt);
      if (!cachedToken || !isUsable) return untilAborted(renew(), signal).then(({ value }) => value);
      if (now >= cachedToken.renewAt) renew().catch(() => {});
      return cachedToken.value;
    },

    reportRefused(key) {
      if (cachedToken?.value === key) cachedToken = undefined;
    },

    close: () => closing.abort(),
  };
}
