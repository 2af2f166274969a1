/** A question, its reply and what becomes of both, as the page of a chat shows them. */
import type { AskedFileView } from './chatContext.ts';
import type { Notice } from './notice.ts';
import type { ReplyAction } from './pageMessage.ts';

/** A notice under a reply that did not complete, or about the target of the next question. */
export type ReplyNotice = Notice<ReplyAction>;

/** The figures under a reply. One that was not reported is absent. */
export interface ReplyFigures {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Within the input. */
  readonly cachedTokens?: number;
  readonly cacheWriteTokens?: number;
  /** Within the output. */
  readonly reasoningTokens?: number;
  /** The reply ended before its last count of output tokens came. */
  readonly outputIsPartial?: boolean;
  readonly firstTokenMs?: number;
  /** How long the model reasoned. */
  readonly reasoningMs?: number;
  readonly totalMs?: number;
  readonly tokensPerSecond?: number;
  /** How the reply ended, in a word or two. */
  readonly end?: string;
  /** The same as the provider writes it, such as `stop`. */
  readonly finishReason?: string;
  readonly cost?: CostView;
  /** Why there is no cost, in words. */
  readonly unknownCost?: string;
  /** The gateway's own id of the request, which can be copied. */
  readonly gatewayRequestId?: string;
}

/** What a reply cost, such as "about $0.0012", and whose price it is. */
export interface CostView {
  readonly text: string;
  readonly explanation: string;
}

export interface ToolCallView {
  readonly name: string;
  readonly arguments: string;
}

/** A picture: its bytes as base64, or the hash by which the page asks for them when they come near the screen. */
export type ImageView =
  | { readonly mimeType: string; readonly data: string }
  | { readonly mimeType: string; readonly hash: string };

export interface CitationView {
  readonly title: string;
  readonly url: string | undefined;
}

/** One choice of a reply. */
export interface ReplyView {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCallView[];
  readonly images: readonly ImageView[];
  readonly citations: readonly CitationView[];
}

/** An addition to one choice of a reply. A field without an addition is absent. */
export interface ReplyDelta {
  readonly choice: number;
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls?: readonly ToolCallDelta[];
  readonly images?: readonly ImageView[];
  readonly citations?: readonly CitationView[];
}

/** An addition to the tool call at a position of the reply; one beyond the last begins a new call. */
export interface ToolCallDelta {
  readonly position: number;
  /** The whole name, in the addition that brings it. */
  readonly name?: string;
  readonly arguments: string;
}

/** Something that was attached to a question, or came with a reply, and whose bytes are not there. */
export interface MissingView {
  readonly name: string;
  /** It is not on the disk any more, or it was not part of the import. */
  readonly why: 'gone' | 'notImported';
}

/** One question and the choices of its reply. */
export interface Turn {
  readonly id: string;
  readonly question: string;
  readonly images: readonly ImageView[];
  /** The code that went along. */
  readonly files?: readonly AskedFileView[];
  /** What was attached and is not there. */
  readonly missing?: readonly MissingView[];
  /** The same of the reply. */
  readonly missingOfReply?: readonly MissingView[];
  readonly model: string;
  /** The question asked for JSON. */
  readonly asksForJson?: true;
  readonly state: 'waiting' | 'streaming' | 'done';
  readonly replies: readonly ReplyView[];
  readonly figures: ReplyFigures;
  /** The user wrote the reply, or its end. */
  readonly isEdited?: true;
  readonly notice?: ReplyNotice;
  /** For how long nothing of the reply has arrived, in milliseconds; absent once it ended. */
  readonly waitedMs?: number;
  /** What the format could not carry of the conversation, in words for the user; empty where it was just told. */
  readonly omitted: readonly string[];
  /** What of the conversation was not there, in words; absent for none, and where it was just told. */
  readonly notThere?: readonly string[];
  /** Where the question stands among its alternatives; absent for the only one. */
  readonly questionBranch?: BranchView;
  /** The same of the answer. */
  readonly answerBranch?: BranchView;
}

/** Answers side by side, and what was said below each. */
export interface ComparisonView {
  /** Whether all columns begin with the same question, which is shown once, above them. */
  readonly sharesQuestion: boolean;
  /** The turns of each column; by its id for one that the page shows in a column already. */
  readonly columns: readonly (readonly (Turn | string)[])[];
}

/** A question or answer among its alternatives. */
export interface BranchView {
  /** From 1. */
  readonly number: number;
  readonly count: number;
  /** The id of the one before it, and of the one after it. */
  readonly previous?: string;
  readonly next?: string;
}
