import { randomUUID } from 'node:crypto';
import { openConversationStore } from '../store/conversationStore.ts';
import type { ConversationRequests } from './requestKinds.ts';
import type { RequestHandlers } from './serveRequests.ts';

/** What the worker starts with. */
export interface WorkerFiles {
  /** The file of conversations, which the worker opens by itself. */
  readonly file: string;
}

/** What the worker does with each kind of request. */
export function requestHandlers({ file }: WorkerFiles): RequestHandlers<ConversationRequests> {
  return {
    async purge(_, { pause }) {
      const store = openConversationStore({ file, window: randomUUID() });
      try {
        while (store.purge()) await pause();
      } finally {
        store.close();
      }
      return undefined;
    },
  };
}
