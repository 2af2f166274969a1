import type { JsonObject } from '../../base/json.ts';
import type { MessagePart } from '../../wire/message.ts';

/**
 * Conversations as data: what the store keeps, and what exports and imports carry. All times are in
 * milliseconds since 1970.
 */

/** One chat. Its messages are a tree; what is sent is the path from the root to its head, and nothing else. */
export interface ConversationRecord {
  /** A random UUID. */
  readonly id: string;
  /** Empty for one that is called after its first question. */
  readonly title: string;
  readonly createdAt: number;
  /** When a message was last added. */
  readonly changedAt: number;
  /** The message at the end of the path that is shown; absent in one without messages. */
  readonly head?: string;
  /** The last messages of the branches that are shown side by side, in order. They count while the head is among them. */
  readonly compared?: readonly string[];
  /** The URI of the folder or workspace that it began in: a tag to filter by, never a key. */
  readonly workspace?: string;
  /** The gateway it asks, by `gatewayKey`. */
  readonly gateway?: string;
  /** The gateway's name, for people, when it was last asked. */
  readonly gatewayName?: string;
  /** The model and the API format for the next question. */
  readonly model?: string;
  readonly format?: string;
  /** `ChatParameters` as JSON; absent where the chat follows the model's default. */
  readonly parameters?: JsonObject;
  readonly pinnedAt?: number;
  readonly archivedAt?: number;
  /** Deleted ones are gone for good after 30 days. */
  readonly deletedAt?: number;
  /** Where it was imported from. Importing the same again changes nothing. */
  readonly origin?: Origin;
  /** The conversation of which this one is a fork. */
  readonly forkOf?: string;
  /** Fields of an imported file that have no other place here. */
  readonly extra?: JsonObject;
}

/** A conversation with all its messages. Attachments are named by their hashes. */
export interface WholeConversation {
  readonly conversation: ConversationRecord;
  /** Parents before children, siblings in their order. */
  readonly messages: readonly MessageRecord[];
}

/** The program that wrote an imported file, and the conversation's id there. */
export interface Origin {
  readonly source: OriginSource;
  readonly id: string;
}

export type OriginSource =
  | 'chatgpt'
  | 'claude'
  | 'open-webui'
  | 'librechat'
  | 'vscode'
  | 'sharegpt'
  | 'markdown';

/**
 * One question or answer. Once it is done it never changes: an edited one is a sibling. Siblings stand in the
 * order in which they were added.
 */
export interface MessageRecord {
  /** Unique in its conversation. */
  readonly id: string;
  /** Absent at the root, of which a conversation may have several. */
  readonly parent?: string;
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly createdAt: number;
  /** `arriving` until its request has ended; `stopped` when its window ended before that. */
  readonly state: 'arriving' | 'done' | 'stopped';
  /** One list for each choice of an answer; others have one. Only the first goes into later requests. */
  readonly choices: readonly (readonly PartRecord[])[];
  /** Of an answer: the request that made it. */
  readonly request?: RequestRecord;
  /** The sibling that the user edited to make this one. */
  readonly editOf?: string;
  /** Which of the messages after it was shown last: going back to this branch leads there. */
  readonly lastChild?: string;
  readonly extra?: JsonObject;
}

/** A part whose bytes are kept beside the messages. */
export interface AttachedPart {
  readonly type: 'image' | 'file';
  readonly mimeType: string;
  readonly hash: string;
  readonly name?: string;
  /** Of code: VS Code's name of its language. */
  readonly language?: string;
}

/** A part of a message. Bytes are kept once, by their SHA-256 in hexadecimal digits. */
export type PartRecord =
  | Exclude<MessagePart, { type: 'image' }>
  | AttachedPart
  | { readonly type: 'refusal'; readonly text: string }
  | { readonly type: 'citation'; readonly url?: string; readonly title?: string }
  /** A part of an imported file that has no kind here. */
  | { readonly type: 'other'; readonly value: JsonObject };

/** A part that stands for bytes which are not there: not any more, or not in the file that was imported. */
export type MissingPart = AttachedPart | Extract<PartRecord, { type: 'other' }>;

/** How an answer was asked for, and how its reply ended. */
export interface RequestRecord {
  /** What was sent as X-Request-Id; one id for the answers of one request. */
  readonly id: string;
  readonly gateway?: string;
  readonly gatewayName?: string;
  readonly model: string;
  /** The model as the gateway called it, where it told. */
  readonly modelAnswered?: string;
  readonly format?: string;
  readonly systemPrompt?: string;
  /** Fields of the request besides the conversation, in the format's own names. */
  readonly parameters?: JsonObject;
  readonly askedAt: number;
  /** Absent while the reply arrives, and where the window ended before it. */
  readonly outcome?: 'complete' | 'truncated' | 'pending' | 'interrupted' | 'cancelled' | 'failed';
  /** `GatewayError` as JSON, of an interrupted or failed one. */
  readonly error?: JsonObject;
  readonly endReason?: string;
  /** The provider's own word for why it ended. */
  readonly finishReason?: string;
  readonly gatewayRequestId?: string;
  /** The reply's own id, by which the responses format reads it. */
  readonly replyId?: string;
  readonly firstTokenMs?: number;
  /** From the first reasoning to the first text after it. */
  readonly reasoningMs?: number;
  readonly totalMs?: number;
  readonly usage?: UsageRecord;
  /** The provider's own word for how it processed the request, on which the price depends. */
  readonly serviceTier?: string;
  readonly cost?: CostRecord;
}

/** Token counts; one that nobody told is absent, never zero. Cached and reasoning tokens are within in and out. */
export interface UsageRecord {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly reasoningTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
}

/** What a reply cost, frozen with it. */
export interface CostRecord {
  readonly usd: number;
  /** `gateway`: it told this sum. Else estimated, by the user's own price or the price that the gateway lists. */
  readonly source: 'gateway' | 'user-price' | 'listed-price';
}
