import type { GatewayError } from './failures/gatewayError.ts';

/** Token counts of one reply. A gateway may report any of them, or none. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
  readonly reasoningTokens?: number;
  /** The part of the input that the provider read from its cache. */
  readonly cachedTokens?: number;
  /** The part of the input that the provider wrote to its cache. */
  readonly cacheWriteTokens?: number;
  /** The part of `cacheWriteTokens` that stays in the cache for an hour, which costs more. */
  readonly cacheHourTokens?: number;
  /** Searches, pictures and sound tokens, which are charged separately from text, each in its own way. */
  readonly otherUnits?: number;
}

/** The names of all counts. */
export const usageNames = [
  'inputTokens',
  'outputTokens',
  'totalTokens',
  'reasoningTokens',
  'cachedTokens',
  'cacheWriteTokens',
  'cacheHourTokens',
  'otherUnits',
] as const satisfies readonly (keyof Usage)[];

/** Why a choice ended. `raw` of the event contains the provider's own word. */
export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'error' | 'other';

/**
 * One event of a reply. Every text format is decoded into these events only. `choice` identifies one of the
 * replies to a request with n > 1.
 */
export type ChatEvent =
  | { readonly type: 'start'; readonly id?: string; readonly model?: string }
  | { readonly type: 'text'; readonly choice: number; readonly text: string }
  | {
      readonly type: 'reasoning';
      readonly choice: number;
      readonly text: string;
      readonly signature?: string;
    }
  | { readonly type: 'refusal'; readonly choice: number; readonly text: string }
  | {
      readonly type: 'toolCall';
      readonly choice: number;
      /** Position among the tool calls of the choice; all fragments of a call share it. */
      readonly index: number;
      readonly id?: string;
      readonly name?: string;
      /** A fragment of the arguments' JSON text. The joined text may be invalid JSON. */
      readonly arguments?: string;
      /** An opaque signature that some providers require with the call in the next turn. */
      readonly signature?: string;
    }
  /** `data` is base64. */
  | { readonly type: 'media'; readonly choice: number; readonly mimeType: string; readonly data: string }
  /** Media at an address, which may need the credential. */
  | { readonly type: 'mediaLink'; readonly choice: number; readonly mimeType: string; readonly url: string }
  | { readonly type: 'citation'; readonly choice: number; readonly url?: string; readonly title?: string }
  /** Cumulative: the last one of a reply counts. */
  | { readonly type: 'usage'; readonly usage: Usage }
  /** The charge for the whole reply, in US dollars: the last one counts. */
  | { readonly type: 'cost'; readonly usd: number }
  /** The provider's word for the service tier: the last one counts. `findServiceTier` reads the word. */
  | { readonly type: 'serviceTier'; readonly name: string }
  | { readonly type: 'finish'; readonly choice: number; readonly reason: FinishReason; readonly raw: string };

/** How a reply ended. Only `complete` and `truncated` reached the format's own end mark. */
export type Outcome =
  | { readonly kind: 'complete' }
  /** The model reached its output limit (finish reason `length`). */
  | { readonly kind: 'truncated' }
  /** The gateway continues in the background: read the reply again by its id. */
  | { readonly kind: 'pending' }
  /** The bytes ended without the format's own end mark. The text so far is preserved. */
  | { readonly kind: 'interrupted'; readonly error: GatewayError }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly error: GatewayError };
