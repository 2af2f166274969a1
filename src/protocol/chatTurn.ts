/** A question, its reply and their states, as the chat page shows them, and the requests of the page about them. */
import * as z from 'zod';
import type { SentFileView } from './chatContext.ts';
import { id, type Notice, type ReplyAction, text } from './pageMessage.ts';

/** A notice under a reply that did not complete, or about the target of the next question. */
export type ReplyNotice = Notice<ReplyAction>;

/** The figures under a reply. Unreported figures are absent. */
export interface ReplyFigures {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Part of the input tokens. */
  readonly cachedTokens?: number;
  /** Part of the input tokens. */
  readonly cacheWriteTokens?: number;
  /** Part of the output tokens. */
  readonly reasoningTokens?: number;
  /** Whether the reply ended before its final count of output tokens arrived. */
  readonly isOutputPartial?: boolean;
  /** The time from sending to the first token. */
  readonly firstTokenMs?: number;
  /** The duration of the reasoning. */
  readonly reasoningMs?: number;
  /** The time from sending to the end of the reply. */
  readonly totalMs?: number;
  readonly tokensPerSecond?: number;
  /** How the reply ended, in a word or two. */
  readonly end?: string;
  /** The provider's own value, such as `stop`. */
  readonly finishReason?: string;
  readonly cost?: CostView;
  /** Why there is no cost, as text. */
  readonly unknownCost?: string;
  /** The gateway's own id of the request, which can be copied. */
  readonly gatewayRequestId?: string;
}

/** The cost of a reply, such as "about $0.0012", and the source of the price. */
export interface CostView {
  readonly text: string;
  readonly explanation: string;
}

interface ToolCallView {
  readonly name: string;
  /** The JSON text of the model, incomplete while it arrives. */
  readonly arguments: string;
}

/**
 * A picture: its bytes as base64, or their hash. The page requests the bytes of a hash when the picture is close to
 * the visible area.
 */
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

/** An addition to one choice of a reply. Without an addition, a text is empty and a list is absent. */
export interface ReplyDelta {
  readonly choice: number;
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls?: readonly ToolCallDelta[];
  readonly images?: readonly ImageView[];
  readonly citations?: readonly CitationView[];
}

/** An addition to the tool call at a position of the reply. A position after the last call begins a new call. */
export interface ToolCallDelta {
  readonly position: number;
  /** The whole name, in the addition that contains it. */
  readonly name?: string;
  readonly arguments: string;
}

/** An attachment of a question, or a part of a reply, that is no longer available. */
export interface MissingView {
  readonly name: string;
  /** `notOnDisk`: it is no longer on the disk. `notImported`: it was not part of the import. */
  readonly reason: 'notOnDisk' | 'notImported';
}

/** One question and the choices of its reply. */
export interface TurnView {
  readonly id: string;
  readonly question: string;
  readonly images: readonly ImageView[];
  /** The code that was sent with the question. */
  readonly files?: readonly SentFileView[];
  /** Attachments that are no longer available. */
  readonly missing?: readonly MissingView[];
  /** Parts of the reply that are no longer available. */
  readonly missingOfReply?: readonly MissingView[];
  readonly model: string;
  /** Whether the question requested JSON. */
  readonly requestsJson?: true;
  readonly state: 'waiting' | 'streaming' | 'done';
  readonly replies: readonly ReplyView[];
  readonly figures: ReplyFigures;
  /** Whether the user wrote the reply, or its end. */
  readonly isEdited?: true;
  readonly notice?: ReplyNotice;
  /** Time since the last part of the reply arrived, in milliseconds; absent after the end of the reply. */
  readonly waitedMs?: number;
  /**
   * The parts of the conversation that the format could not carry, as text for the user; empty if they were
   * reported shortly before.
   */
  readonly omitted: readonly string[];
  /**
   * The parts of the conversation that were missing, as text; absent if there are none, or if they were reported
   * shortly before.
   */
  readonly missingParts?: readonly string[];
  /** The position of the question among its alternatives; absent if there are none. */
  readonly questionBranch?: BranchView;
  /** The position of the reply among its alternatives; absent if there are none. */
  readonly replyBranch?: BranchView;
}

/** Replies side by side, each with its later turns. */
export interface ComparisonView {
  /** Whether all columns begin with the same question, which is shown once, above them. */
  readonly sharesQuestion: boolean;
  /** The turns of each column. A string is the id of a turn that the page already shows in a column. */
  readonly columns: readonly (readonly (TurnView | string)[])[];
}

/** A question or reply among its alternatives. */
export interface BranchView {
  /** From 1. */
  readonly number: number;
  readonly count: number;
  /** The id of the previous alternative. */
  readonly previous?: string;
  /** The id of the next alternative. */
  readonly next?: string;
}

/** Whether a reply matches the JSON Schema of its question. */
export interface SchemaCheckView {
  readonly kind: 'matches' | 'differs' | 'unchecked';
  readonly title: string;
  /** The problems, each with its path, such as "$.items[3].price must be a number". */
  readonly faults: readonly string[];
  /** The number of further problems, as text; absent if there are none. */
  readonly more?: string;
}

// Requests of the chat page about its turns.
/** The language of a code block, as the reply names it. */
const language = z.string().max(40);

/** A file with lines, as the reply names it. The host searches and reads it only in the workspace. */
const reference = z.string().max(500);

/** Actions on the text of a reply. */
export const replyMessages = [
  z.strictObject({ type: z.literal('insert-code'), text }),
  z.strictObject({ type: z.literal('new-file'), text, language }),
  z.strictObject({ type: z.literal('put-into-terminal'), text, language }),
  z.strictObject({ type: z.literal('open-file'), reference }),
  z.strictObject({ type: z.literal('open-link'), url: z.string().max(8192) }),
] as const;

/** Proposes code of a reply for a file. */
export const applyCode = z.strictObject({
  type: z.literal('apply-code'),
  turnId: id,
  text,
  /** The text after the opening fence of the code. */
  info: z.string().max(200),
});

/** Requests the existing files among these. */
export const findFilesMessage = z.strictObject({
  type: z.literal('find-files'),
  references: z.array(reference).max(50),
});

/** Sets whether long lines of code wrap, in all chats. */
export const wrapCode = z.strictObject({ type: z.literal('wrap-code'), isOn: z.boolean() });

export type ApplyCode = Readonly<z.infer<typeof applyCode>>;

export type ReplyMessage = Readonly<z.infer<(typeof replyMessages)[number]>>;

/** Copies to the clipboard. */
export const copyMessages = [
  z.strictObject({ type: z.literal('copy-reply'), turnId: id, choice: z.int().min(0).max(127) }),
  z.strictObject({ type: z.literal('copy-code'), text }),
  z.strictObject({ type: z.literal('copy-request-id'), turnId: id }),
  z.strictObject({ type: z.literal('copy-gateway-request-id'), turnId: id }),
] as const;

export type CopyMessage = Readonly<z.infer<(typeof copyMessages)[number]>>;

/** Edits, deletes, shows and copies branches of a chat. */
export const branchMessages = [
  /** Sends the question of a turn with a changed text and with further pasted texts. */
  z.strictObject({
    type: z.literal('edit-question'),
    turnId: id,
    text,
    pasted: z
      .array(z.strictObject({ name: z.string().max(1024), text }))
      .max(64)
      .optional(),
  }),
  /** Stores the user's own text as an alternative to the reply of a turn. */
  z.strictObject({ type: z.literal('edit-reply'), turnId: id, text }),
  /** Shows the branch of a question or reply. */
  z.strictObject({ type: z.literal('show-branch'), messageId: id }),
  /** Deletes the question or the reply of a turn, and all later messages. */
  z.strictObject({ type: z.literal('delete-message'), turnId: id, of: z.enum(['question', 'reply']) }),
  z.strictObject({ type: z.literal('undo-delete') }),
  z.strictObject({ type: z.literal('dismiss-deleted') }),
  /** Opens a new chat with the conversation up to a turn. */
  z.strictObject({ type: z.literal('fork'), turnId: id }),
] as const;

export type BranchMessage = Readonly<z.infer<(typeof branchMessages)[number]>>;
