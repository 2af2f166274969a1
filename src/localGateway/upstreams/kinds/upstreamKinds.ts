import { KeyError } from '../keys/keySource.ts';
import { upstreamKey } from '../keys/upstreamKey.ts';
import type { Upstream } from '../upstream.ts';
import type { UpstreamConfig } from '../upstreamFields.ts';
import type { UpstreamKind } from '../upstreamKind.ts';
import { arkKind } from './ark.ts';
import { cloudPlatformKind } from './cloudPlatform.ts';
import { contentGenerationKind, interactionsKind } from './contentGeneration.ts';
import { dashscopeKind } from './dashscope.ts';
import { messagesKind } from './messages.ts';
import { openaiCompatibleKind, responsesKind, videosKind } from './openaiCompatible.ts';

/** The kinds of upstreams that a configuration may name. The first one is the default. */
export const upstreamKinds: readonly [UpstreamKind, ...UpstreamKind[]] = [
  openaiCompatibleKind,
  contentGenerationKind,
  cloudPlatformKind,
  messagesKind,
  responsesKind,
  dashscopeKind,
  arkKind,
  interactionsKind,
  videosKind,
];

/** All addresses that receive an upstream's requests and key. */
export function upstreamAddresses(config: UpstreamConfig): readonly URL[] {
  return kindOf(config).addresses(config);
}

/**
 * @param key read once per request, so that a key may arrive or change while the gateway runs
 * @param refusal called before each request; returns why nothing may be sent to the upstream now
 */
export function openUpstream(
  config: UpstreamConfig,
  key: () => string | undefined,
  refusal: () => string | undefined = () => undefined,
): Upstream {
  const source = upstreamKey(config, key);
  return kindOf(config).open(config, {
    ...source,
    read(signal) {
      const reason = refusal();
      if (reason !== undefined) throw new KeyError(reason);
      return source.read(signal);
    },
  });
}

function kindOf(config: UpstreamConfig): UpstreamKind {
  const found = upstreamKinds.find(({ kind }) => kind === config.kind);
  if (!found) throw new TypeError(`no upstream of the kind ${config.kind}`);
  return found;
}
