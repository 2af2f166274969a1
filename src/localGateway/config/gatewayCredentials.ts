import { hash, timingSafeEqual } from 'node:crypto';
import { modelMatcher } from '../../base/modelPattern.ts';
import { RequestCounts } from '../http/requestCounts.ts';
import type { NamedCredential } from './configSchema.ts';
import { credentialEnd } from './credentialEnd.ts';

/** The rights of a credential's holder. */
export interface CredentialAccess {
  /** The name in the configuration; undefined for the user's own credential. */
  readonly name: string | undefined;
  /** Whether it may use only some of the models. */
  readonly isLimited: boolean;
  /** When it expired, in milliseconds since 1970; undefined while it can be used. */
  readonly expiredAt?: number | undefined;
  /** Whether it may use a model, by the ID that callers use. */
  allows(model: string): boolean;
  /** Whether it may read and change the tasks of a credential, by name; undefined is the user's own. */
  mayUseTasksOf(owner: string | undefined): boolean;
  /**
   * Begins a request that a limit counts.
   *
   * @returns a function to call at its end, or how long to wait, in milliseconds
   */
  begin(): { readonly end: () => void } | { readonly waitMs: number; readonly limit: string };
}

/** The credentials that a gateway accepts: the user's own, and those in the configuration. */
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
   * Replaces the named credentials. The used part of a credential's limits is preserved while its name and hash do
   * not change.
   */
  setNamed(named: readonly NamedCredential[]): void {
    const earlier = this.#named;
    this.#named = named.map((each) => {
      const same = earlier.find(({ name, sha256 }) => name === each.name && sha256 === each.sha256);
      return new NamedAccess(each, same?.use ?? new RequestCounts(this.#now));
    });
  }

  /** Finds the holder of a credential, even if it expired. Its duration does not reveal how close a guess was. */
  find(presented: string): CredentialAccess | undefined {
    const bytes = Buffer.from(presented);
    // Avoids the digest for the user's own credential: digests take longer than all other work of the guard.
    if (bytes.length === this.#own.length && timingSafeEqual(bytes, this.#own)) return owner;
    return this.#named.length === 0 ? undefined : this.#findNamed(digest(presented));
  }

  #findNamed(presented: Buffer): CredentialAccess | undefined {
    let match: CredentialAccess | undefined;
    for (const each of this.#named) if (timingSafeEqual(presented, each.digest)) match ??= each;
    return match;
  }
}

/** The digest for comparing credentials. All digests have the same length. */
export function digest(credential: string): Buffer {
  return hash('sha256', credential, 'buffer');
}

const owner: CredentialAccess = {
  name: undefined,
  isLimited: false,
  allows: () => true,
  mayUseTasksOf: () => true,
  begin: () => ({ end: doNothing }),
};

/** The rights without a credential. */
export const noAccess: CredentialAccess = {
  name: undefined,
  isLimited: true,
  allows: () => false,
  mayUseTasksOf: () => false,
  begin: () => ({ end: doNothing }),
};

function doNothing(): void {}

class NamedAccess implements CredentialAccess {
  readonly name: string;
  readonly isLimited: boolean;
  readonly sha256: string;
  readonly digest: Buffer;
  /** The used part of its limits. */
  readonly use: RequestCounts;
  readonly #limits: NamedCredential;
  readonly #end: number | undefined;
  readonly #patterns: readonly ((model: string) => boolean)[] | undefined;

  constructor(named: NamedCredential, use: RequestCounts) {
    this.name = named.name;
    this.isLimited = named.models !== undefined;
    this.sha256 = named.sha256;
    this.digest = Buffer.from(named.sha256, 'hex');
    this.use = use;
    this.#limits = named;
    this.#end = named.expires === undefined ? undefined : credentialEnd(named.expires);
    this.#patterns = named.models?.map(modelMatcher);
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
    if (concurrentRequests !== undefined && this.use.underWay >= concurrentRequests)
      return { waitMs: 1_000, limit: `${concurrentRequests} requests at once` };
    const waitMs = requestsPerMinute === undefined ? 0 : this.use.waitMs(requestsPerMinute);
    if (waitMs > 0) return { waitMs, limit: `${requestsPerMinute} requests a minute` };
    this.use.begin();
    let isOver = false;
    const end = () => {
      if (!isOver) this.use.underWay -= 1;
      isOver = true;
    };
    return { end };
  }
}
