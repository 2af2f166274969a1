import { type Clock, systemClock } from '../../../base/node/clock.ts';
import { untilAborted } from '../../../base/untilAborted.ts';
import { KeyError, type KeySource } from './keySource.ts';
import type { Token } from './token.ts';

/** How long before its end a token is renewed while it still serves, in milliseconds. */
const renewBeforeMs = 5 * 60_000;
/** How long before its end a token no longer serves: a request takes its time to arrive. */
const marginMs = 10_000;
/** How long callers are told of a failure before it is tried again. */
const failureMs = 2_000;

export interface RenewedKeyInit {
  /** For messages, such as "that its keyCommand prints". */
  readonly place: string;
  /**
   * Gets a new token.
   *
   * @throws {KeyError}
   */
  load(signal: AbortSignal): Promise<Token>;
  /** How long a token serves whose end is not told, in milliseconds. */
  readonly unknownLifeMs: number;
  readonly clock?: Clock;
}

interface KeptToken {
  readonly value: string;
  readonly endsAt: number;
  readonly renewAt: number;
}

/**
 * Keeps a token and gets the next one before it ends: while the old one serves, nobody waits for it. However
 * many ask at once, there is one request for a token at a time, and after a failure a pause.
 */
export function renewedKey({ place, load, unknownLifeMs, clock = systemClock }: RenewedKeyInit): KeySource {
  const closing = new AbortController();
  let kept: KeptToken | undefined;
  let renewal: Promise<KeptToken> | undefined;
  let failed: { readonly error: unknown; readonly until: number } | undefined;

  function renewed(): Promise<KeptToken> {
    renewal ??= next().finally(() => {
      renewal = undefined;
    });
    return renewal;
  }

  async function next(): Promise<KeptToken> {
    if (failed && clock.monotonic() < failed.until) throw failed.error;
    try {
      kept = keep(await load(closing.signal));
      failed = undefined;
      return kept;
    } catch (error) {
      failed = { error, until: clock.monotonic() + failureMs };
      throw error;
    }
  }

  function keep({ value, endsAt }: Token): KeptToken {
    const now = clock.now();
    if (endsAt !== undefined && endsAt <= now) {
      const ended = new Date(endsAt).toISOString();
      throw new KeyError(`the key ${place} has ended at ${ended}, so it has to be renewed there`);
    }
    const lastsMs = endsAt === undefined ? unknownLifeMs : endsAt - now;
    return {
      value,
      endsAt: now + lastsMs,
      renewAt: now + Math.max(lastsMs - renewBeforeMs, lastsMs / 2),
    };
  }

  return {
    place,

    read(signal) {
      const now = clock.now();
      // Of a short token the margin would leave nothing.
      const serves = kept !== undefined && (now < kept.endsAt - marginMs || now < kept.renewAt);
      if (!kept || !serves) return untilAborted(renewed(), signal).then(({ value }) => value);
      if (now >= kept.renewAt) renewed().catch(() => {});
      return kept.value;
    },

    refused(key) {
      if (kept?.value === key) kept = undefined;
    },

    close: () => closing.abort(),
  };
}
