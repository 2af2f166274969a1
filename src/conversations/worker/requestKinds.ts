import type { UpkeepRequests } from '../../storage/upkeep/upkeepRequests.ts';
import type { RequestKind } from '../../storage/worker/requestKind.ts';
import type { StoredTurn } from '../said/saidTurn.ts';
import type { Found } from '../search/searchIndex.ts';
import type { Finish } from '../store/arriving.ts';
import type { UsageQuery, UsageSum } from '../store/usage.ts';
import type { DocumentWords, Export, Exported, ExportProgress } from '../transfer/exportChats.ts';
import type { ImportEnd, ImportProgress } from '../transfer/importReport.ts';

/**
 * What the worker of conversations does, by kinds of requests. A new kind is a line here, and its handler in
 * `requestHandlers.ts`, without which types fail. Values cross threads as structured clones: plain data, without
 * functions or classes.
 */
export interface ConversationRequests extends UpkeepRequests {
  /** Looks for words in all chats. Progress is what was found so far, while the index is made. */
  readonly search: RequestKind<Search, SearchAnswer, Found>;
  /** Deletes for good what was deleted 30 days ago, and attachments that nothing uses. */
  readonly purge: RequestKind<undefined, undefined>;
  readonly exportChats: RequestKind<Export, Exported, ExportProgress>;
  /** A conversation as a Markdown document; undefined when there is none. */
  readonly chatDocument: RequestKind<
    { readonly chat: string; readonly words: DocumentWords },
    string | undefined
  >;
  /** Ends early by `stopImport` of the same id, so that it can still tell what became of everything. */
  readonly importFiles: RequestKind<
    /** Paths of files, and of folders with such files. */
    { readonly id: string; readonly files: readonly string[] },
    ImportEnd,
    ImportProgress
  >;
  readonly stopImport: RequestKind<string, undefined>;
  /** As `finish` of the store of that window, for a long reply. */
  readonly finishReply: RequestKind<FinishedReply, boolean>;
  /** Keeps what a model said before it called tools. */
  readonly keepSaid: RequestKind<StoredTurn, undefined>;
  /** Those of these turns that are kept, by their ids. */
  readonly findSaid: RequestKind<readonly string[], readonly StoredTurn[]>;
  /** Sums up usage, for each query. */
  readonly sumUsage: RequestKind<readonly UsageQuery[], readonly (readonly UsageSum[])[]>;
}

export interface FinishedReply {
  readonly window: string;
  readonly conversation: string;
  readonly answer: string;
  readonly finish: Finish;
}

/** What is looked for. */
export interface Search {
  readonly typed: string;
  /** The most hits. */
  readonly limit: number;
}

/** `unavailable`: SQLite here lacks full-text search. */
export type SearchAnswer = Found | 'unavailable';
