import { openaiCompatibleKind } from './openaiCompatible.ts';
import type { Upstream } from './upstream.ts';
import type { UpstreamConfig } from './upstreamFields.ts';
import type { UpstreamKind } from './upstreamKind.ts';

/** The kinds of upstreams that a configuration may name. */
export const upstreamKinds: readonly [UpstreamKind, ...UpstreamKind[]] = [openaiCompatibleKind];

/** @param key asked once per request, so that a key may arrive or change while the gateway runs */
export function openUpstream(config: UpstreamConfig, key: () => string | undefined): Upstream {
  const found = upstreamKinds.find(({ kind }) => kind === config.kind);
  if (!found) throw new TypeError(`no upstream of the kind ${config.kind}`);
  return found.open(config, key);
}
