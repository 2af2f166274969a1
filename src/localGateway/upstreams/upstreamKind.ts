import * as z from 'zod';
import { createHttpUpstream, type HttpApi } from './httpUpstream.ts';
import type { KeyRing } from './keys/keyRing.ts';
import type { Upstream } from './upstream.ts';
import { type UpstreamConfig, upstreamFields } from './upstreamConfig.ts';

/** A kind of upstream that a configuration may name. */
export interface UpstreamKind {
  /** The name of the kind in a configuration. */
  readonly kind: string;
  /** The configuration fields that this kind adds to the common fields, or overrides. */
  readonly fields: z.ZodRawShape;
  /**
   * All addresses that receive requests and the key.
   *
   * @param config matches the fields
   */
  listAddresses(config: UpstreamConfig): readonly URL[];
  /** @param config matches the fields */
  open(config: UpstreamConfig, keys: KeyRing): Upstream;
}

/**
 * Defines a kind that uses HTTP.
 *
 * @param createApi returns the endpoints for a configuration
 */
export function defineHttpKind<Fields extends z.ZodRawShape>(
  kind: string,
  fields: Fields,
  createApi: (config: UpstreamConfig & z.infer<z.ZodObject<Fields>>) => HttpApi,
): UpstreamKind {
  const ownFields = z.object(fields);
  const readApi = (config: UpstreamConfig) => createApi({ ...config, ...ownFields.parse(config) });
  return {
    kind,
    fields,
    listAddresses(config) {
      const { base, addresses = [base] } = readApi(config);
      return addresses;
    },
    open: (config, keys) => createHttpUpstream(readApi(config), config, keys),
  };
}

/** Creates the field of an upstream's address, with a description of its expected end. */
export function createAddressField(description: string) {
  return upstreamFields.shape.baseUrl.describe(description);
}

/**
 * Removes the end of an address if it is present. Some users include the version of the API's paths, and some do
 * not.
 */
export function removeAddressEnd(address: string, end: RegExp): URL {
  const base = new URL(address);
  base.pathname = base.pathname.replace(/(?<!\/)\/+$/, '').replace(end, '');
  return base;
}

/** Creates the header that most providers expect. */
export function createBearerHeader(key: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}` };
}
