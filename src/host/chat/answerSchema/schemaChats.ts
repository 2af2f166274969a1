import { isObject } from '../../../base/json.ts';
import { type AllChats, openChat } from '../commands/openChat.ts';
import type { KeptParameters } from '../parameters/keptParameters.ts';
import type { SchemaChats } from './schemaFiles.ts';

/** The chats of the window and those that are kept, for their schemas. */
export function schemaChats(all: AllChats, keptParameters: () => Promise<KeptParameters>): SchemaChats {
  return {
    open: () => all.chats.all.map(({ session }) => session),
    async kept(id) {
      const record = (await all.conversations.store()).get(id);
      if (!record) return undefined;
      const { parameters, model } = record;
      const usual = model === undefined ? undefined : (await keptParameters()).defaultOf(model);
      const { common } = parameters ?? usual ?? {};
      const schema = isObject(common) ? common.responseSchema : undefined;
      return { schema: isObject(schema) ? schema : undefined };
    },
    show: async (id) => (await openChat(all, id, { preserveFocus: true, beside: true }))?.session,
  };
}
