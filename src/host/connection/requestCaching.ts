import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { RequestCaching } from '../../client/textRequest.ts';
import { type CacheSupport, findCacheSupport } from '../../wire/apis/shared/promptCaching.ts';
import type { TextFormatId } from '../../wire/apis/textFormats.ts';
import type { ForeignMessage } from '../../wire/message.ts';
import type { GatewayConnection } from './gatewayConnection.ts';

/** The gateway, the model and the API format of a request. */
interface CachedTarget {
  readonly connection: ListedModels | undefined;
  readonly model: string;
  readonly format: TextFormatId;
}

type ListedModels = Pick<GatewayConnection, 'gateway'> & {
  readonly state: Pick<GatewayConnection['state'], 'models'>;
};

/** Matches models whose providers cache only marked parts. Other providers cache automatically. */
const markedModel = /claude/i;

/** Chooses the fields for prompt caching in requests of the extension. */
export function chooseCaching({ connection, model, format }: CachedTarget): CacheSupport {
  if (connection === undefined) return {};
  const { gateway, state } = connection;
  const { host, promptCaching } =
    gateway.kind === 'local'
      ? { host: '', promptCaching: undefined }
      : { host: new URL(gateway.baseUrl).hostname, promptCaching: gateway.promptCaching };
  const { marks, acceptsKey } = findCacheSupport(format, { host, model, promptCaching });
  const isMarked = format === 'messages' || (marks === 'cache_control' && markedModel.test(model));
  const isListed = state.models.some(({ id, acceptsCacheKey }) => id === model && acceptsCacheKey);
  const isKeyAccepted = (format === 'chatCompletions' || format === 'responses') && (acceptsKey ?? isListed);
  return { ...(isMarked && marks && { marks }), ...(isKeyAccepted && { acceptsKey: true }) };
}

/**
 * Chooses the fields for prompt caching of a chat's request.
 *
 * @param chat the id of the chat; only its hash is sent
 */
export function chooseChatCaching(target: CachedTarget, chat: string): RequestCaching {
  const conversation = createHash('sha256').update(`prompt-cache ${chat}`).digest('base64url').slice(0, 32);
  return { ...chooseCaching(target), conversation };
}

/** A random secret that keys depend on. Otherwise a key could be compared with the hashes of known texts. */
const sessionSecret = randomBytes(32);

/** Builds the key of a conversation from its first messages, because all its requests begin with them. */
export function buildConversationKey(messages: readonly ForeignMessage[]): string {
  const firstReply = messages.findIndex(({ role }) => role === 'assistant');
  const start = firstReply === -1 ? messages : messages.slice(0, firstReply);
  const texts = start.flatMap(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : '')));
  return createHmac('sha256', sessionSecret).update(JSON.stringify(texts)).digest('base64url').slice(0, 32);
}
