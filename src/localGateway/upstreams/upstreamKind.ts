import * as z from 'zod';
import { type HttpApi, httpUpstream } from './httpUpstream.ts';
import type { KeySource } from './keys/keySource.ts';
import type { Upstream } from './upstream.ts';
import { type UpstreamConfig, upstreamFields } from './upstreamFields.ts';

/** A kind of upstream that a configuration may name. */
export interface UpstreamKind {
  /** Its name in a configuration. */
  readonly kind: string;
  /** What its configuration says beside the fields that all kinds have, or otherwise than they. */
  readonly fields: z.ZodRawShape;
  /**
   * All addresses to which requests and the key go.
   *
   * @param config keeps to the fields
   */
  addresses(config: UpstreamConfig): readonly URL[];
  /** @param config keeps to the fields */
  open(config: UpstreamConfig, key: KeySource): Upstream;
}

/**
 * Defines a kind that speaks HTTP.
 *
 * @param api decides by the configuration where its requests go
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
      const { base, places = [base] } = apiOf(config);
      return places;
    },
    open: (config, key) => httpUpstream(apiOf(config), config, key),
  };
}

/** The field of an upstream's address, with what its end should be. */
export function addressField(description: string) {
  return upstreamFields.shape.baseUrl.describe(description);
}

/**
 * The address without its end, where it has it: some name the address of an API with the version of its
 * paths, some without.
 */
export function addressBefore(address: string, end: RegExp): URL {
  const base = new URL(address);
  base.pathname = base.pathname.replace(/(?<!\/)\/+$/, '').replace(end, '');
  return base;
}

/** The key as most providers take it. */
export function bearer(key: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}` };
}
