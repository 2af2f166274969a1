import { KeyError } from '../../../base/node/keySource.ts';
import { KeyRing, type NamedKey, type RestingKey } from '../keys/keyRing.ts';
import { type ExternalKeys, findUpstreamKeys } from '../keys/upstreamKey.ts';
import type { Upstream } from '../upstream.ts';
import type { UpstreamConfig } from '../upstreamConfig.ts';
import type { UpstreamKind } from '../upstreamKind.ts';
import { arkKind } from './ark.ts';
import { cloudPlatformKind } from './cloudPlatform.ts';
import { contentGenerationKind, interactionsKind } from './contentGeneration.ts';
import { dashscopeKind } from './dashscope.ts';
import { messagesKind } from './messages.ts';
import { openaiCompatibleKind, responsesKind, videosKind } from './openaiCompatible.ts';

/** The kinds of upstreams that a configuration may name. The first kind checks entries without a known kind. */
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

/** Lists all addresses that receive an upstream's requests and key. */
export function listUpstreamAddresses(config: UpstreamConfig): readonly URL[] {
  return findKind(config).listAddresses(config);
}

interface OpenOptions {
  /** Called before each request. Returns the reason if nothing may be sent to the upstream now. */
  readonly findRefusal?: () => string | undefined;
  readonly onKeyRest?: (resting: RestingKey) => void;
}

interface OpenedUpstream {
  readonly upstream: Upstream;
  readonly keys: Pick<KeyRing, 'restingKeys'>;
}

export function openUpstream(
  config: UpstreamConfig,
  external: ExternalKeys,
  { findRefusal = () => undefined, onKeyRest }: OpenOptions = {},
): OpenedUpstream {
  const guardKey = ({ name, source }: NamedKey): NamedKey => ({
    ...(name !== undefined && { name }),
    source: {
      ...source,
      read(signal) {
        const reason = findRefusal();
        if (reason !== undefined) throw new KeyError(reason);
        return source.read(signal);
      },
    },
  });
  const keys = new KeyRing(findUpstreamKeys(config, external).map(guardKey), { onRest: onKeyRest });
  return { upstream: findKind(config).open(config, keys), keys };
}

function findKind(config: UpstreamConfig): UpstreamKind {
  const found = upstreamKinds.find(({ kind }) => kind === config.kind);
  if (!found) throw new TypeError(`no upstream of the kind ${config.kind}`);
  return found;
}
