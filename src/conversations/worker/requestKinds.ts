import type { Salvaged } from '../../storage/salvage/salvage.ts';
import type { RequestKind } from '../../storage/worker/requestKind.ts';
import type { Found } from '../search/searchIndex.ts';
import type { UsageQuery, UsageSum } from '../store/usage.ts';
import type { DocumentWords, Export, Exported, ExportProgress } from '../transfer/exportChats.ts';
import type { ImportEnd, ImportProgress } from '../transfer/importReport.ts';

/**
 * What the worker of conversations does, by kinds of requests. A new kind is a line here, and its handler in
 * `requestHandlers.ts`, without which types fail. Values cross threads as structured clones: plain data, without
 * functions or classes.
 */
export interface ConversationRequests {
  /** Looks for words in all chats. Progress is what was found so far, while the index is made. */
  readonly search: RequestKind<Search, SearchAnswer, Found>;
  /** Deletes for good what was deleted 30 days ago, and attachments that nothing uses. */
  readonly purge: RequestKind<undefined, undefined>;
  /** Brings the file to the version of this program, and copies an earlier one first. */
  readonly migrate: RequestKind<undefined, Damage | undefined>;
  /** Checks the whole file. */
  readonly check: RequestKind<undefined, Damage | undefined>;
  /** Replaces the file by what can be saved of it, if it has this inode. */
  readonly repair: RequestKind<number, Damage | undefined>;
  /** Moves into the file what is in its log. */
  readonly emptyLog: RequestKind<undefined, undefined>;
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
  /** Sums up usage, for each query. */
  readonly sumUsage: RequestKind<readonly UsageQuery[], readonly (readonly UsageSum[])[]>;
}

/** A damaged file was replaced by what could be saved of it. */
export interface Damage {
  /** The new path of the damaged file. */
  readonly file: string;
  readonly salvaged: Salvaged | undefined;
}

/** What is looked for. */
export interface Search {
  readonly typed: string;
  /** The most hits. */
  readonly limit: number;
}

/** `unavailable`: SQLite here lacks full-text search. */
export type SearchAnswer = Found | 'unavailable';
