import type { JsonObject } from '../../base/json.ts';
import type { Usage } from '../../wire/chatEvent.ts';
import type { MessagePart } from '../../wire/message.ts';

// Conversations as data, for the store, exports and imports. All times are in milliseconds since 1970.

/** One chat. Its messages are a tree; requests contain only the path from the root to its head. */
export interface ConversationRecord {
  /** A random UUID. */
  readonly id: string;
  /** Empty if the title is derived from the first question. */
  readonly title: string;
  readonly createdAt: number;
  /** When a message was last added. */
  readonly changedAt: number;
  /** The id of the message at the end of the path that is shown; absent if there are no messages. */
  readonly head?: string;
  /** The ids of the last messages of the branches shown side by side. Ignored unless they include the head. */
  readonly compared?: readonly string[];
  /** The URI of its first folder or workspace. It is only used as a filter. */
  readonly workspace?: string;
  /** The gateway of its requests, by `gatewayKey`. */
  readonly gateway?: string;
  /** The gateway's display name at the last request. */
  readonly gatewayName?: string;
  /** The model and the API format for the next question. */
  readonly model?: string;
  readonly format?: string;
  /** `ChatParameters` as JSON; absent if the chat uses the model's defaults. */
  readonly parameters?: JsonObject;
  readonly pinnedAt?: number;
  readonly archivedAt?: number;
  /** Deleted conversations are purged after 30 days. */
  readonly deletedAt?: number;
  /** The source of an import. A second import of the same source changes nothing. */
  readonly origin?: Origin;
  /** The id of the conversation from which this one was forked. */
  readonly forkOf?: string;
  /** Fields of an imported file without a counterpart here. */
  readonly extra?: JsonObject;
}

/** A conversation with all its messages. Attachments are referenced by their hashes. */
export interface ConversationWithMessages {
  readonly conversation: ConversationRecord;
  /** Parents before children, siblings in their order. */
  readonly messages: readonly MessageRecord[];
}

/** A conversation with all its data, including the bytes of attachments, for imports and exports. */
export interface PortableConversation extends ConversationWithMessages {
  /** The bytes that parts reference by their hash. Some may be missing. */
  readonly attachments: readonly Attachment[];
}

/** The bytes of an image or a file. */
export interface Attachment {
  /** Their SHA-256, in hexadecimal digits. */
  readonly hash: string;
  readonly bytes: Uint8Array;
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
 * One question or reply. It does not change after it is done: an edit adds a sibling. Siblings are ordered by
 * the time they were added.
 */
export interface MessageRecord {
  /** Unique in its conversation. */
  readonly id: string;
  /** Absent for a root. A conversation may have several roots. */
  readonly parent?: string;
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly createdAt: number;
  /** `arriving` until its request has ended; `stopped` if its window closed before that. */
  readonly state: 'arriving' | 'done' | 'stopped';
  /**
   * One list for each choice of a reply; other messages have one list. Later requests include only the first.
   */
  readonly choices: readonly (readonly PartRecord[])[];
  /** Of a reply: the request that produced it. */
  readonly request?: ChatRequestRecord;
  /** The id of the sibling that the user edited. */
  readonly editOf?: string;
  /** The id of the child that was last shown. It is shown again when the user returns to this branch. */
  readonly lastChild?: string;
  readonly extra?: JsonObject;
}

/** A part whose bytes are stored separately from the messages. */
export interface AttachedPart {
  readonly type: 'image' | 'file';
  readonly mimeType: string;
  readonly hash: string;
  readonly name?: string;
  /** Of code: the language id in VS Code. */
  readonly language?: string;
}

/** A part of a message. Bytes are stored once, by their SHA-256 in hexadecimal digits. */
export type PartRecord =
  | Exclude<MessagePart, { type: 'image' }>
  | AttachedPart
  | { readonly type: 'refusal'; readonly text: string }
  | { readonly type: 'citation'; readonly url?: string; readonly title?: string }
  /** A part of an imported file with an unknown type. */
  | { readonly type: 'other'; readonly value: JsonObject };

/** A part whose bytes are missing: they were deleted, or were not in the imported file. */
export type MissingPart = AttachedPart | Extract<PartRecord, { type: 'other' }>;

/** The request of a reply, and how the reply ended. */
export interface ChatRequestRecord {
  /** The X-Request-Id; the choices of one request share it. */
  readonly id: string;
  readonly gateway?: string;
  readonly gatewayName?: string;
  readonly model: string;
  /** The model name in the gateway's reply, if it was reported. */
  readonly replyModel?: string;
  readonly format?: string;
  readonly systemPrompt?: string;
  /** Fields of the request besides the conversation, in the format's own names. */
  readonly parameters?: JsonObject;
  readonly requestedAt: number;
  /** Absent while the reply arrives, or if the window closed before the reply ended. */
  readonly outcome?: 'complete' | 'truncated' | 'pending' | 'interrupted' | 'cancelled' | 'failed';
  /** `GatewayError` as JSON, if the reply was interrupted or failed. */
  readonly error?: JsonObject;
  readonly endReason?: string;
  /** The provider's own name for the end reason. */
  readonly finishReason?: string;
  readonly gatewayRequestId?: string;
  /** The reply's own id. The Responses API can return the reply again by this id. */
  readonly replyId?: string;
  /** The time from the request to the first token. */
  readonly firstTokenMs?: number;
  /** The time from the first reasoning to the first text after it. */
  readonly reasoningMs?: number;
  /** The time from the request to the end of the reply. */
  readonly totalMs?: number;
  readonly usage?: UsageRecord;
  /** The provider's own name for the service tier of the request; the price depends on it. */
  readonly serviceTier?: string;
  readonly cost?: CostRecord;
}

/**
 * The token counts that are stored. An unreported count is absent, never zero. Input includes cached tokens, output
 * includes reasoning.
 */
export type UsageRecord = Pick<
  Usage,
  'inputTokens' | 'outputTokens' | 'reasoningTokens' | 'cachedTokens' | 'cacheWriteTokens'
>;

/** The cost of a reply. It does not change when prices change. */
export interface CostRecord {
  readonly usd: number;
  /**
   * `gateway`: reported by the gateway. Otherwise estimated from the user's own price or the gateway's listed
   * price.
   */
  readonly source: 'gateway' | 'user-price' | 'listed-price';
}
