import type { GatewayError } from './failure.ts';

/** Token counts of one reply. A gateway may report any of them, or none. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
  readonly reasoningTokens?: number;
  readonly cachedTokens?: number;
}

/** Why a choice ended, in one vocabulary; the provider's own word travels beside it as `raw`. */
export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'error' | 'other';

/**
 * One thing a model said. Every text shape decodes into these and nothing else, so that pages, the
 * conversation and the tests know nothing of shapes. `choice` tells the answers of an n > 1 request apart.
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
      /** Position among the tool calls of this choice; fragments of one call share it. */
      readonly index: number;
      readonly id?: string;
      readonly name?: string;
      /** A fragment of the arguments' JSON text: join before parsing, and expect invalid JSON. */
      readonly arguments?: string;
      /** Opaque proof some providers want sent back with the call on the next turn. */
      readonly signature?: string;
    }
  | { readonly type: 'media'; readonly choice: number; readonly mimeType: string; readonly data: string }
  /** Media that is not in the reply itself but lies at an address, which may ask for the credential. */
  | { readonly type: 'mediaLink'; readonly choice: number; readonly mimeType: string; readonly url: string }
  | { readonly type: 'citation'; readonly choice: number; readonly url?: string; readonly title?: string }
  /** Cumulative: the last one of a reply counts. */
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'finish'; readonly choice: number; readonly reason: FinishReason; readonly raw: string };

/** How a reply ended. Only `complete` and `truncated` saw the shape's own end mark. */
export type Outcome =
  | { readonly kind: 'complete' }
  /** The model reached its output limit (finish reason `length`). */
  | { readonly kind: 'truncated' }
  /** The gateway goes on writing in the background: read the reply again by its id. */
  | { readonly kind: 'pending' }
  /** The bytes stopped without the shape's own end mark; the text so far is kept. */
  | { readonly kind: 'interrupted'; readonly error: GatewayError }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly error: GatewayError };
