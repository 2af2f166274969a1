import type { JsonObject } from '../base/json.ts';
import { type Explanation, inEnglish } from './explanations/explanation.ts';

/**
 * One part of a message. Every text format can be encoded from it. An encoder reports parts that its format cannot
 * carry, and never drops any silently.
 */
export type MessagePart =
  | { readonly type: 'text'; readonly text: string }
  /** `data` is base64. */
  | { readonly type: 'image'; readonly mimeType: string; readonly data: string }
  /** `signature` is the provider's opaque proof, which is sent back unchanged in the next turn. */
  | { readonly type: 'reasoning'; readonly text: string; readonly signature?: string }
  | {
      readonly type: 'toolCall';
      readonly id: string;
      readonly name: string;
      /** JSON text as the model wrote it, perhaps invalid. */
      readonly arguments: string;
      readonly signature?: string;
    }
  | { readonly type: 'toolResult'; readonly id: string; readonly name: string; readonly text: string };

/**
 * A part of a conversation that another program stores. The extension's own conversations contain the files
 * themselves, and only results that are text.
 */
export type ForeignPart = (
  | Exclude<MessagePart, { type: 'toolResult' }>
  | { readonly type: 'imageLink'; readonly url: string; readonly mimeType?: string }
  /** `data` is base64. */
  | { readonly type: 'document'; readonly mimeType: string; readonly data: string; readonly name?: string }
  | ForeignResult
) & {
  readonly cacheMark?: CacheMark;
};

/** The member that contains a cache mark: Anthropic's, or OpenAI's. */
export type CacheMember = 'cache_control' | 'prompt_cache_breakpoint';

/** A mark after which the provider may cache the request up to this point. */
export interface CacheMark {
  readonly member: CacheMember;
  /** The provider's word for the lifetime of the cache. */
  readonly ttl?: string;
  /** Its path in the request that it was read from. */
  readonly path?: string;
}

/** A result that may contain pictures, or report that the tool failed. */
export interface ForeignResult extends Extract<MessagePart, { type: 'toolResult' }> {
  readonly pictures?: readonly Extract<MessagePart, { type: 'image' }>[];
  readonly hasFailed?: boolean;
}

/** A message of a conversation, independent of formats. */
export interface Message<Part = MessagePart> {
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly Part[];
}

/** A message of a conversation that another program stores. */
export interface ForeignMessage extends Message<ForeignPart> {
  /**
   * The model's message in the API format of the request: messages, parts, blocks, items or steps. They are sent
   * back unchanged instead of the parts.
   */
  readonly verbatim?: readonly JsonObject[];
}

/** Messages in one format, and the parts that the format cannot carry. */
export interface Encoded<Body> {
  readonly body: Body;
  readonly omitted: readonly Explanation[];
}

/** The parts of a conversation that a request omits, each once. */
export class Omissions {
  readonly #byText = new Map<string, Explanation>();

  add(omission: Explanation): void {
    this.#byText.set(inEnglish(omission), omission);
  }

  get all(): readonly Explanation[] {
    return [...this.#byText.values()];
  }
}
