import { isLoopback } from '../../base/loopback.ts';
import { addressProblem, type AddressProblem as GatewayAddressProblem } from '../../client/address.ts';
import { isPrivateAddress } from '../../client/privateAddress.ts';

/** Why an address that a user typed cannot be used. */
export type AddressProblem = GatewayAddressProblem | 'empty';

export type AddressReading =
  | {
      readonly ok: true;
      /** The normalised address, without a trailing slash. */
      readonly baseUrl: string;
      /**
       * Shorter addresses that the user more likely means, the likeliest first. Present when the address ends
       * like a route, such as `/v1`, `/api` or `/v1/chat/completions`.
       */
      readonly shorter: readonly string[];
    }
  | { readonly ok: false; readonly problem: AddressProblem };

/**
 * Reads a gateway address as a user types or pastes it. A missing scheme means https, except on this machine
 * and for an address in a private network. Plain http elsewhere needs the user's consent.
 */
export function readAddress(text: string): AddressReading {
  const typed = text.trim();
  if (typed === '') return { ok: false, problem: 'empty' };
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `${defaultScheme(typed)}://${typed}`;
  const problem = addressProblem(full, 'private-network');
  if (problem) return { ok: false, problem };
  const { origin, pathname } = new URL(full);
  const path = pathname.replace(/\/+$/, '');
  return { ok: true, baseUrl: origin + path, shorter: shorterPaths(path).map((shorter) => origin + shorter) };
}

function defaultScheme(typed: string): string {
  const host = typed.startsWith('[') ? '[::1]' : (typed.split(/[:/]/)[0] ?? '');
  return isLoopback(host) || isPrivateAddress(host) ? 'http' : 'https';
}

/** `/api/v1/models` may mean the root or `/api`; `/team/v1` most likely means `/team`. */
function shorterPaths(path: string): string[] {
  const segments = path.split('/').slice(1);
  const route = segments.findIndex((segment) => /^v1(beta)?$/.test(segment));
  const kept = route === -1 ? segments : segments.slice(0, route);
  const candidates = new Set<string>();
  if (kept.at(-1) === 'api') candidates.add(join(kept.slice(0, -1)));
  candidates.add(join(kept));
  candidates.delete(path);
  return [...candidates];
}

function join(segments: readonly string[]): string {
  return segments.map((segment) => `/${segment}`).join('');
}
