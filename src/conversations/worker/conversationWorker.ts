import type { StorageNotice } from '../../storage/followHealth.ts';
import type { UpkeepRequests } from '../../storage/upkeep/upkeepRequests.ts';
import { type RequestKind, RequestWorker } from '../../storage/worker/requestWorker.ts';
import type { SearchResult } from '../search/searchIndex.ts';
import type { FinishedReply } from '../store/arrivingReplies.ts';
import type { UsageQuery, UsageSum } from '../store/usageLedger.ts';
import type { DocumentWords, ExportProgress, ExportRequest, ExportResult } from '../transfer/exportChats.ts';
import type { ImportEnd, ImportProgress } from '../transfer/importFiles.ts';
import type { StoredTurn } from '../verbatim/verbatimTurns.ts';

/** The worker's start data. */
export interface WorkerFiles {
  /** The path of the database file of conversations. */
  readonly file: string;
}

/** The worker thread of a window for time-consuming work with stored conversations. */
export class ConversationWorker extends RequestWorker<ConversationRequests> {
  /**
   * @param program the path of the bundle of `main.ts`
   * @param onNotice called if a request other than `UpkeepRequests` found and repaired a damaged file
   */
  constructor(program: string, files: WorkerFiles, onNotice?: (notice: StorageNotice) => void) {
    super({ program, data: files, onNotice });
  }
}

/**
 * The requests of the conversation worker. To add one, add a line here and its handler in `requestHandlers.ts`;
 * without the handler, type checking fails. Values cross threads as structured clones: plain data, without
 * functions or classes.
 */
export interface ConversationRequests extends UpkeepRequests {
  /** Searches all chats. Progress contains the results so far, while the index is built. */
  readonly search: RequestKind<SearchRequest, SearchResponse, SearchResult>;
  /** Purges messages and conversations that were deleted 30 days ago, and unused attachments. */
  readonly purge: RequestKind<undefined, undefined>;
  readonly exportChats: RequestKind<ExportRequest, ExportResult, ExportProgress>;
  /** Returns a conversation as a Markdown document; undefined if it does not exist. */
  readonly chatDocument: RequestKind<
    { readonly chat: string; readonly words: DocumentWords },
    string | undefined
  >;
  /** `stopImport` with the same id ends the import early. Unlike a cancellation, this reports all results. */
  readonly importFiles: RequestKind<
    /** Paths of files, and of folders with such files. */
    { readonly id: string; readonly files: readonly string[] },
    ImportEnd,
    ImportProgress
  >;
  readonly stopImport: RequestKind<string, undefined>;
  /** Runs `ConversationStore.finish` for a long reply that the window receives. */
  readonly finishReply: RequestKind<FinishReplyRequest, boolean>;
  /** Stores a model turn with tool calls. */
  readonly storeVerbatimTurn: RequestKind<StoredTurn, undefined>;
  /** Returns the stored turns with these ids. */
  readonly findVerbatimTurns: RequestKind<readonly string[], readonly StoredTurn[]>;
  /** Sums up usage, for each query. */
  readonly sumUsage: RequestKind<readonly UsageQuery[], readonly (readonly UsageSum[])[]>;
}

interface FinishReplyRequest {
  readonly window: string;
  readonly conversation: string;
  readonly message: string;
  readonly finish: FinishedReply;
}

interface SearchRequest {
  readonly text: string;
  /** The maximum number of hits. */
  readonly limit: number;
}

/** `unavailable`: this SQLite lacks full-text search. */
export type SearchResponse = SearchResult | 'unavailable';
