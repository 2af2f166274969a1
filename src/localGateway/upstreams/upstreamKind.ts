import type * as z from 'zod';
import type { Upstream } from './upstream.ts';
import type { UpstreamConfig } from './upstreamFields.ts';

/** A kind of upstream that a configuration may name. */
export interface UpstreamKind {
  /** Its name in a configuration. */
  readonly kind: string;
  /** What its configuration says beside the fields that all kinds have. */
  readonly fields: z.ZodRawShape;
  /**
   * @param config keeps to the fields
   * @param key asked once per request, so that a key may arrive or change while the gateway runs
   */
  open(config: UpstreamConfig, key: () => string | undefined): Upstream;
}
