import { hash, timingSafeEqual } from 'node:crypto';
import { modelMatcher } from '../../base/modelPattern.ts';
import { RequestUse } from '../http/requestUse.ts';
import type { NamedCredential } from './credentialSchema.ts';

/** What the holder of a credential may do. */
export interface Access {
  /** The name in the configuration; undefined for the user's own credential. */
  readonly name: string | undefined;
  /** Whether it may use some models only. */
  readonly isLimited: boolean;
  /** Whether it may use a model, by the id that callers write. */
  allows(model: string): boolean;
  /** Whether it may see and change what a credential made, by the name of that; undefined is the user's own. */
  mayUse(owner: string | undefined): boolean;
  /**
   * Begins a request that a limit counts.
   *
   * @returns what to call at its end, or how long to wait, in milliseconds
   */
  begin(): { readonly end: () => void } | { readonly waitMs: number; readonly limit: string };
}

/** The credentials that a gateway knows: the user's own, and those that the configuration names. */
export class Credentials {
  #own: Buffer;
  readonly #now: () => number;
  #named: readonly NamedAccess[] = [];

  /** @param now milliseconds of a clock that only goes on */
  constructor(own: string, now: () => number) {
    this.#own = Buffer.from(own);
    this.#now = now;
  }

  /** Replaces the user's own. */
  setOwn(own: string): void {
    this.#own = Buffer.from(own);
  }

  /** Replaces the named ones. What a credential used of its limits stays counted while its name and hash stay. */
  setNamed(named: readonly NamedCredential[]): void {
    const earlier = this.#named;
    this.#named = named.map((each) => {
      const same = earlier.find(({ name, sha256 }) => name === each.name && sha256 === each.sha256);
      return new NamedAccess(each, same?.use ?? new RequestUse(this.#now));
    });
  }

  /** Finds whose credential this is, in a time that says nothing of how close a guess was. */
  find(presented: string): Access | undefined {
    const bytes = Buffer.from(presented);
    // Nothing is digested where it need not be, which takes longer than all else that the guard does.
    if (bytes.length === this.#own.length && timingSafeEqual(bytes, this.#own)) return owner;
    return this.#named.length === 0 ? undefined : this.#findNamed(digest(presented));
  }

  #findNamed(shown: Buffer): Access | undefined {
    let found: Access | undefined;
    for (const each of this.#named) if (timingSafeEqual(shown, each.digest)) found ??= each;
    return found;
  }
}

/** The digest by which credentials are compared, equally long for all of them. */
export function digest(credential: string): Buffer {
  return hash('sha256', credential, 'buffer');
}

const owner: Access = {
  name: undefined,
  isLimited: false,
  allows: () => true,
  mayUse: () => true,
  begin: () => ({ end: nothing }),
};

/** What somebody without a credential may do. */
export const noAccess: Access = {
  name: undefined,
  isLimited: true,
  allows: () => false,
  mayUse: () => false,
  begin: () => ({ end: nothing }),
};

function nothing(): void {}

class NamedAccess implements Access {
  readonly name: string;
  readonly isLimited: boolean;
  readonly sha256: string;
  readonly digest: Buffer;
  /** What was used of its limits. */
  readonly use: RequestUse;
  readonly #limits: NamedCredential;
  readonly #patterns: readonly ((model: string) => boolean)[] | undefined;

  constructor(named: NamedCredential, use: RequestUse) {
    this.name = named.name;
    this.isLimited = named.models !== undefined;
    this.sha256 = named.sha256;
    this.digest = Buffer.from(named.sha256, 'hex');
    this.use = use;
    this.#limits = named;
    this.#patterns = named.models?.map(modelMatcher);
  }

  allows(model: string): boolean {
    return this.#patterns?.some((matches) => matches(model)) ?? true;
  }

  mayUse(owner: string | undefined): boolean {
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
