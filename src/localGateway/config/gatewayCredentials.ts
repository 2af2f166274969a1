import { hash, timingSafeEqual } from 'node:crypto';
import { createModelMatcher } from '../../base/modelPattern.ts';
import { RequestCounts } from '../http/requestCounts.ts';
import type { NamedCredential } from './configSchema.ts';
import { parseCredentialEnd } from './configSchema.ts';

/** The rights of a credential's holder. */
export interface CredentialAccess {
  /** The name in the configuration; undefined for the user's own credential. */
  readonly name: string | undefined;
  /** Whether it allows only some of the models. */
  readonly hasModelLimit: boolean;
  /** When it expired, in milliseconds since 1970; undefined while it can be used. */
  readonly expiredAt?: number | undefined;
  /** Whether it may use a model, by the ID that callers use. */
  allows(model: string): boolean;
  /**
   * Whether it may read and change the tasks of a credential, by the name of that credential; undefined for the
   * user's own.
   */
  mayUseTasksOf(owner: string | undefined): boolean;
  /**
   * Counts a request against the credential's limits of requests.
   *
   * @returns a function to call when the request ends, or the limit that refuses it and the time until the next try
   */
  begin(): { readonly end: () => void } | { readonly waitMs: number; readonly limit: string };
}

/** The credentials that a gateway accepts: the user's own, and the credentials in the configuration. */
export class GatewayCredentials {
  #own: Buffer;
  readonly #now: () => number;
  #named: readonly NamedAccess[] = [];

  /** @param now milliseconds of a monotonic clock */
  constructor(own: string, now: () => number) {
    this.#own = Buffer.from(own);
    this.#now = now;
  }

  /** Replaces the user's own credential. */
  setOwn(own: string): void {
    this.#own = Buffer.from(own);
  }

  /**
   * Replaces the named credentials. Requests that were counted for a credential stay counted if its name and hash
   * do not change.
   */
  setNamed(named: readonly NamedCredential[]): void {
    const earlier = this.#named;
    this.#named = named.map((each) => {
      const previous = earlier.find(({ name, sha256 }) => name === each.name && sha256 === each.sha256);
      return new NamedAccess(each, previous?.counts ?? new RequestCounts(this.#now));
    });
  }

  /**
   * Finds the rights of a credential, even if it expired. The comparison takes the same time however many
   * characters of a guess are right.
   */
  find(credential: string): CredentialAccess | undefined {
    const bytes = Buffer.from(credential);
    // Avoids the digest for the user's own credential: digests take longer than all other work of the guard.
    if (bytes.length === this.#own.length && timingSafeEqual(bytes, this.#own)) return ownAccess;
    return this.#named.length === 0 ? undefined : this.#findNamed(digestCredential(credential));
  }

  #findNamed(digest: Buffer): CredentialAccess | undefined {
    let match: CredentialAccess | undefined;
    for (const each of this.#named) if (timingSafeEqual(digest, each.digest)) match ??= each;
    return match;
  }
}

/** Digests a credential with SHA-256, because `timingSafeEqual` compares only values of the same length. */
export function digestCredential(credential: string): Buffer {
  return hash('sha256', credential, 'buffer');
}

const ownAccess: CredentialAccess = {
  name: undefined,
  hasModelLimit: false,
  allows: () => true,
  mayUseTasksOf: () => true,
  begin: () => ({ end: () => {} }),
};

class NamedAccess implements CredentialAccess {
  readonly name: string;
  readonly hasModelLimit: boolean;
  readonly sha256: string;
  readonly digest: Buffer;
  /** The requests that are counted against its limits. */
  readonly counts: RequestCounts;
  readonly #limits: NamedCredential;
  readonly #end: number | undefined;
  readonly #patterns: readonly ((model: string) => boolean)[] | undefined;

  constructor(named: NamedCredential, counts: RequestCounts) {
    this.name = named.name;
    this.hasModelLimit = named.models !== undefined;
    this.sha256 = named.sha256;
    this.digest = Buffer.from(named.sha256, 'hex');
    this.counts = counts;
    this.#limits = named;
    this.#end = named.expires === undefined ? undefined : parseCredentialEnd(named.expires);
    this.#patterns = named.models?.map(createModelMatcher);
  }

  get expiredAt(): number | undefined {
    return this.#end !== undefined && Date.now() >= this.#end ? this.#end : undefined;
  }

  allows(model: string): boolean {
    return this.#patterns?.some((matches) => matches(model)) ?? true;
  }

  mayUseTasksOf(owner: string | undefined): boolean {
    return owner === this.name;
  }

  begin() {
    const { requestsPerMinute, concurrentRequests } = this.#limits;
    if (concurrentRequests !== undefined && this.counts.activeRequests >= concurrentRequests)
      return { waitMs: 1_000, limit: `${concurrentRequests} requests at once` };
    const waitMs = requestsPerMinute === undefined ? 0 : this.counts.computeWaitMs(requestsPerMinute);
    if (waitMs > 0) return { waitMs, limit: `${requestsPerMinute} requests a minute` };
    this.counts.begin();
    let hasEnded = false;
    const end = () => {
      if (!hasEnded) this.counts.activeRequests -= 1;
      hasEnded = true;
    };
    return { end };
  }
}
