import { isLoopback } from '../../base/loopback.ts';
import type { UpstreamEntry } from './configEdit.ts';
import { freeName, type UpstreamOffer } from './upstreamOffers.ts';

/** What a user said of a new upstream so far. */
export interface UpstreamDraft {
  readonly offer: UpstreamOffer;
  readonly baseUrl: string;
  readonly fields: Readonly<Record<string, string>>;
  /** Empty where it needs none. */
  readonly key: string;
  /** What prints its key; empty where nothing does. */
  readonly command: string;
  readonly name: string;
}

export type UpstreamAddressReading =
  | { readonly ok: true; readonly baseUrl: string }
  | { readonly ok: false; readonly problem: 'empty' | 'not-an-address' | 'not-https' | 'holds-more' };

/** A draft with what most say of such an upstream. */
export function draftOf(offer: UpstreamOffer, taken: readonly string[]): UpstreamDraft {
  const fields = (offer.fields ?? []).map(({ name, usual = '' }) => [name, usual]);
  const { baseUrl, command = '' } = offer;
  const name = freeName(offer.name, taken);
  return { offer, baseUrl, fields: Object.fromEntries(fields), key: '', command, name };
}

/** What the configuration says of it. */
export function entryOf({ offer, baseUrl, fields, command, name }: UpstreamDraft): UpstreamEntry {
  const keyCommand = command === '' ? {} : { keyCommand: command };
  return { name, kind: offer.kind, baseUrl, ...fields, ...offer.entry, ...keyCommand };
}

/**
 * The draft with another address. A key goes to no other origin than the one it was entered for, so that at another
 * one it is asked for again.
 */
export function withAddress(draft: UpstreamDraft, baseUrl: string): UpstreamDraft {
  const isSameOrigin = draft.baseUrl !== '' && new URL(draft.baseUrl).origin === new URL(baseUrl).origin;
  return { ...draft, baseUrl, key: isSameOrigin ? draft.key : '' };
}

/** The routes of an API, as documentations spell them out; the gateway adds them itself. */
const routes = /\/(?:chat\/completions|completions|models|messages|responses|interactions|videos)$/;

/**
 * Reads an address as a user types it, perhaps with a route at its end. The gateway takes https, and http on its own
 * machine.
 */
export function readUpstreamAddress(text: string): UpstreamAddressReading {
  const typed = text.trim();
  if (typed === '') return { ok: false, problem: 'empty' };
  const host = /^(\[.*?\]|[^/:]*)/.exec(typed)?.[1] ?? '';
  const scheme = isLoopback(host) ? 'http' : 'https';
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `${scheme}://${typed}`;
  if (!URL.canParse(full)) return { ok: false, problem: 'not-an-address' };
  const { protocol, hostname, username, password, search, hash, origin, pathname } = new URL(full);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname)))
    return { ok: false, problem: 'not-https' };
  if (username || password || search || hash) return { ok: false, problem: 'holds-more' };
  return { ok: true, baseUrl: origin + pathname.replace(/\/+$/, '').replace(routes, '') };
}

/** What is wrong with a name; undefined for a good one. */
export function upstreamNameProblem(name: string, taken: readonly string[]): 'form' | 'taken' | undefined {
  if (!/^[a-z0-9][a-z0-9-]{0,31}$/.test(name)) return 'form';
  return taken.includes(name) || name === 'demo' ? 'taken' : undefined;
}
