import {
  type AddressReading,
  distinct,
  isPlainElsewhere,
  readAddress,
  toggledApi,
} from '../../connection/address.ts';
import type { UpstreamEntry } from './configEdit.ts';
import { freeName, type UpstreamOffer } from './upstreamOffers.ts';

/** A new upstream as far as the user has described it. */
export interface UpstreamDraft {
  readonly offer: UpstreamOffer;
  /** The address as the user entered it. */
  readonly address: string;
  readonly baseUrl: string;
  /** Other addresses at the same origin that may be meant. */
  readonly otherUrls: readonly string[];
  readonly fields: Readonly<Record<string, string>>;
  /** Empty where it needs none. */
  readonly key: string;
  /** What prints its key; empty where nothing does. */
  readonly command: string;
  readonly name: string;
}

/** A draft with what most say of such an upstream. */
export function draftOf(offer: UpstreamOffer, taken: readonly string[]): UpstreamDraft {
  const fields = (offer.fields ?? []).map(({ name, usual = '' }) => [name, usual]);
  const { baseUrl, command = '' } = offer;
  const name = freeName(offer.name, taken);
  return {
    offer,
    address: baseUrl,
    baseUrl,
    otherUrls: [],
    fields: Object.fromEntries(fields),
    key: '',
    command,
    name,
  };
}

/** What the configuration says of it. */
export function entryOf({ offer, baseUrl, fields, command, name }: UpstreamDraft): UpstreamEntry {
  const keyCommand = command === '' ? {} : { keyCommand: command };
  const plainHttp = isPlainElsewhere(baseUrl) ? { plainHttp: true } : {};
  return { name, kind: offer.kind, baseUrl, ...plainHttp, ...fields, ...offer.entry, ...keyCommand };
}

/** The draft with another address. A key is sent only to the origin it was entered for; another one needs it again. */
export function withAddress(
  draft: UpstreamDraft,
  [baseUrl, ...otherUrls]: readonly [string, ...string[]],
  address = baseUrl,
): UpstreamDraft {
  const isSameOrigin = draft.baseUrl !== '' && new URL(draft.baseUrl).origin === new URL(baseUrl).origin;
  return { ...draft, address, baseUrl, otherUrls, key: isSameOrigin ? draft.key : '' };
}

/**
 * Reads the address of an upstream as a user types it. The gateway adds the version of the paths for all kinds but
 * OpenAI-compatible ones, whose addresses usually end in /v1.
 */
export function readUpstreamAddress(text: string, kind: string): AddressReading {
  return readAddress(text, kind === 'openai-compatible' ? compatiblePathCandidates : (path) => [path]);
}

function compatiblePathCandidates(path: string): readonly [string, ...string[]] {
  const [, base, version] = /^(.*)(\/v\d[a-z0-9]*)$/.exec(path) ?? [];
  if (base !== undefined) return distinct(path, base, `${toggledApi(base)}${version}`);
  if (/\/v\d[a-z0-9]*\//.test(path)) return [path];
  const versioned = `${path}/v1`;
  const usual = path === '' || path.endsWith('/api') ? [versioned, path] : [path, versioned];
  const [first = path, ...others] = usual;
  return distinct(first, ...others, `${toggledApi(path)}/v1`);
}

/** What is wrong with a name; undefined for a good one. */
export function upstreamNameProblem(name: string, taken: readonly string[]): 'form' | 'taken' | undefined {
  if (!/^[a-z0-9][a-z0-9-]{0,31}$/.test(name)) return 'form';
  return taken.includes(name) || name === 'demo' ? 'taken' : undefined;
}
