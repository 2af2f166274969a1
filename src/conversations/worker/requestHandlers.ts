import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { StorageNotice } from '../../storage/followHealth.ts';
import { createUpkeepHandlers } from '../../storage/upkeep/upkeepRequests.ts';
import type { RequestHandlers } from '../../storage/worker/requestWorker.ts';
import { hasFullText } from '../search/searchDatabase.ts';
import { SearchIndex } from '../search/searchIndex.ts';
import { type ConversationStore, openConversationStore } from '../store/conversationStore.ts';
import type { UsageSum } from '../store/usageLedger.ts';
import { createChatDocument, exportChats } from '../transfer/exportChats.ts';
import { importFiles, WritePauses } from '../transfer/importFiles.ts';
import { VerbatimTurnStore } from '../verbatim/verbatimTurnStore.ts';
import type { ConversationRequests, WorkerFiles } from './conversationWorker.ts';

/**
 * @param onNotice called if a request other than `UpkeepRequests` found and repaired a damaged file
 * @param isSearchable whether this SQLite supports full-text search
 */
export function createRequestHandlers(
  { file }: WorkerFiles,
  onNotice: (notice: StorageNotice) => void,
  isSearchable = hasFullText,
): RequestHandlers<ConversationRequests> {
  const index = new SearchIndex({ store: file, index: join(dirname(file), 'search.sqlite') });
  const verbatim = new VerbatimTurnStore(join(dirname(file), 'verbatimTurns.sqlite'));
  const imports = new Map<string, AbortController>();

  const open = (window: string = randomUUID()) => openConversationStore({ file, window });

  async function withStore<Result>(
    use: (store: ConversationStore) => Promise<Result>,
    window?: string,
  ): Promise<Result> {
    const store = open(window);
    try {
      return await use(store);
    } finally {
      const { setAside: damagedFile, salvaged } = store.database;
      if (damagedFile !== undefined) onNotice({ type: 'set-aside', file: damagedFile, salvaged });
      store.close();
    }
  }

  return {
    ...createUpkeepHandlers(() => open().database),
    async search({ text, limit }, { pause, reportProgress }) {
      return isSearchable() ? index.search(text, limit, pause, reportProgress) : 'unavailable';
    },
    async purge(_, { pause }) {
      const writePauses = new WritePauses();
      await withStore(async (store) => {
        while (store.purge()) {
          await pause();
          await writePauses.pauseIfDue();
        }
      });
      return undefined;
    },

    exportChats: (request, handling) => withStore((store) => exportChats(store, request, handling)),

    chatDocument: ({ chat, words }) => withStore(async (store) => createChatDocument(store, chat, words)),

    async importFiles({ id, files }, { signal, reportProgress }) {
      const stopController = new AbortController();
      imports.set(id, stopController);
      const anySignal = AbortSignal.any([signal, stopController.signal]);
      try {
        return await withStore((store) => importFiles(store, files, { signal: anySignal, reportProgress }));
      } finally {
        imports.delete(id);
      }
    },

    async stopImport(id) {
      imports.get(id)?.abort();
      return undefined;
    },

    finishReply: ({ window, conversation, message, finish }) =>
      withStore(async (store) => store.finish(conversation, message, finish), window),

    async storeVerbatimTurn(turn) {
      verbatim.add(turn, Date.now());
      return undefined;
    },

    findVerbatimTurns: async (ids) => verbatim.find(ids),

    sumUsage: (queries, { pause }) =>
      withStore(async ({ usage }) => {
        const sums: (readonly UsageSum[])[] = [];
        for (const query of queries) {
          sums.push(usage.sum(query));
          await pause();
        }
        return sums;
      }),
  };
}
