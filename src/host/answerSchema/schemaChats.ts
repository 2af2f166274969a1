import { isObject } from '../../base/json.ts';
import { openChat } from '../chat/commands/openChat.ts';
import type { Services } from '../services.ts';
import type { SchemaChats } from './schemaFiles.ts';

/** The chats of the window and those that are kept, for their schemas. */
export function schemaChats(
  services: Pick<Services, 'chats' | 'closedChats' | 'conversations' | 'keptParameters'>,
): SchemaChats {
  return {
    open: () => services.chats.all.map(({ session }) => session),
    async kept(id) {
      const { conversations, keptParameters } = services;
      const record = (await conversations.store()).get(id);
      if (!record) return undefined;
      const { parameters, model } = record;
      const { common } = parameters ?? ((model && (await keptParameters()).defaultOf(model)) || {});
      const schema = isObject(common) ? common.responseSchema : undefined;
      return { schema: isObject(schema) ? schema : undefined };
    },
    show: async (id) => (await openChat(services, id, { preserveFocus: true, beside: true }))?.session,
  };
}
