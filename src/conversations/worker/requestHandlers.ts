import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { upkeepHandlers } from '../../storage/upkeep/upkeepRequests.ts';
import type { RequestHandlers } from '../../storage/worker/serveRequests.ts';
import { SaidTurnStore } from '../said/saidTurnStore.ts';
import { hasFullText } from '../search/searchDatabase.ts';
import { SearchIndex } from '../search/searchIndex.ts';
import { type ConversationStore, openConversationStore } from '../store/conversationStore.ts';
import type { UsageSum } from '../store/usage.ts';
import { chatDocument, exportChats } from '../transfer/exportChats.ts';
import { importFiles } from '../transfer/importFiles.ts';
import { Turns } from '../transfer/turns.ts';
import type { ConversationRequests } from './requestKinds.ts';

/** What the worker starts with. */
export interface WorkerFiles {
  /** The file of conversations, which the worker opens by itself. */
  readonly file: string;
}

/**
 * What the worker does with each kind of request.
 *
 * @param isSearchable whether SQLite here can search
 */
export function requestHandlers(
  { file }: WorkerFiles,
  isSearchable = hasFullText,
): RequestHandlers<ConversationRequests> {
  const index = new SearchIndex({ store: file, index: searchFileOf(file) });
  const said = new SaidTurnStore(join(dirname(file), 'saidTurns.sqlite'));
  const imports = new Map<string, AbortController>();

  const open = (window: string = randomUUID()) => openConversationStore({ file, window });

  async function withStore<Result>(
    act: (store: ConversationStore) => Promise<Result>,
    window?: string,
  ): Promise<Result> {
    const store = open(window);
    try {
      return await act(store);
    } finally {
      store.close();
    }
  }

  return {
    ...upkeepHandlers(() => open().database),
    async search({ typed, limit }, { pause, tell }) {
      return isSearchable() ? index.search(typed, limit, pause, tell) : 'unavailable';
    },
    async purge(_, { pause }) {
      const turns = new Turns();
      await withStore(async (store) => {
        while (store.purge()) {
          await pause();
          await turns.pause();
        }
      });
      return undefined;
    },

    exportChats: (asked, handling) => withStore((store) => exportChats(store, asked, handling)),

    chatDocument: ({ chat, words }) => withStore(async (store) => chatDocument(store, chat, words)),

    async importFiles({ id, files }, { signal, tell }) {
      const stopping = new AbortController();
      imports.set(id, stopping);
      const either = AbortSignal.any([signal, stopping.signal]);
      try {
        return await withStore((store) => importFiles(store, files, { signal: either, tell }));
      } finally {
        imports.delete(id);
      }
    },

    async stopImport(id) {
      imports.get(id)?.abort();
      return undefined;
    },

    finishReply: ({ window, conversation, answer, finish }) =>
      withStore(async (store) => store.finish(conversation, answer, finish), window),

    async keepSaid(turn) {
      said.keep(turn, Date.now());
      return undefined;
    },

    findSaid: async (ids) => said.find(ids),

    sumUsage: (queries, { pause }) =>
      withStore(async ({ usage }) => {
        const sums: (readonly UsageSum[])[] = [];
        for (const query of queries) {
          sums.push(usage.sums(query));
          await pause();
        }
        return sums;
      }),
  };
}

/** The index lies beside the store. */
function searchFileOf(file: string): string {
  return join(dirname(file), 'search.sqlite');
}
