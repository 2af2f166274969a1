/**
 * One piece of a message, in the one vocabulary every text shape can be encoded from. What a shape cannot
 * carry is told by its encoder, never dropped in silence.
 */
export type MessagePart =
  | { readonly type: 'text'; readonly text: string }
  /** `data` is base64. */
  | { readonly type: 'image'; readonly mimeType: string; readonly data: string }
  /** `signature` is the provider's opaque proof; it goes back unchanged on the next turn. */
  | { readonly type: 'reasoning'; readonly text: string; readonly signature?: string }
  | {
      readonly type: 'toolCall';
      readonly id: string;
      readonly name: string;
      /** JSON text as the model wrote it, which need not be valid. */
      readonly arguments: string;
      readonly signature?: string;
    }
  | { readonly type: 'toolResult'; readonly id: string; readonly name: string; readonly text: string };

/** A message of a conversation, whatever shape it came from or goes to. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly MessagePart[];
}

/** Messages in the form of one shape, and in plain words what that shape could not carry. */
export interface Encoded<Body> {
  readonly body: Body;
  readonly omitted: readonly string[];
}
