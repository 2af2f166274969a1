import * as z from 'zod';
import { type HttpApi, httpUpstream } from './httpUpstream.ts';
import type { KeyRing } from './keys/keyRing.ts';
import type { Upstream } from './upstream.ts';
import { type UpstreamConfig, upstreamFields } from './upstreamConfig.ts';

/** A kind of upstream that a configuration may name. */
export interface UpstreamKind {
  /** Its name in a configuration. */
  readonly kind: string;
  /** The configuration fields that this kind adds to the common ones or overrides. */
  readonly fields: z.ZodRawShape;
  /**
   * All addresses that receive requests and the key.
   *
   * @param config matches the fields
   */
  addresses(config: UpstreamConfig): readonly URL[];
  /** @param config matches the fields */
  open(config: UpstreamConfig, keys: KeyRing): Upstream;
}

/**
 * Defines a kind that uses HTTP.
 *
 * @param api returns the endpoints for a configuration
 */
export function httpKind<Fields extends z.ZodRawShape>(
  kind: string,
  fields: Fields,
  api: (config: UpstreamConfig & z.infer<z.ZodObject<Fields>>) => HttpApi,
): UpstreamKind {
  const ownFields = z.object(fields);
  const apiOf = (config: UpstreamConfig) => api({ ...config, ...ownFields.parse(config) });
  return {
    kind,
    fields,
    addresses(config) {
      const { base, addresses = [base] } = apiOf(config);
      return addresses;
    },
    open: (config, keys) => httpUpstream(apiOf(config), config, keys),
  };
}

/** The field of an upstream's address, with a description of its expected end. */
export function addressField(description: string) {
  return upstreamFields.shape.baseUrl.describe(description);
}

/** The address without its suffix, if present: some users include the version of the API's paths, some do not. */
export function addressBefore(address: string, end: RegExp): URL {
  const base = new URL(address);
  base.pathname = base.pathname.replace(/(?<!\/)\/+$/, '').replace(end, '');
  return base;
}

/** The key in the header that most providers expect. */
export function bearer(key: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}` };
}
