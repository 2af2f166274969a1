/** The code that is sent with a question of a chat. */
import * as z from 'zod';
import { droppedUris, id, text } from './pageMessage.ts';

/** Something that will be sent with the next question. */
export interface ContextView {
  readonly id: string;
  /** Its source, such as `src/a.ts#L10-20`. */
  readonly name: string;
  /** A codicon, without its prefix. */
  readonly icon: string;
  /** Absent until it was read. */
  readonly size?: SizeView;
  /** The source has changed since it was added. */
  readonly isChanged?: boolean;
  /** It is a text without a source, which can be moved into the message box. */
  readonly isText?: boolean;
  /** Why it cannot be sent now, as text. */
  readonly problem?: string;
}

export interface SizeView {
  readonly bytes: number;
  readonly characters: number;
  /** Estimated. */
  readonly tokens: number;
}

/** Something that was sent with a question. */
export interface SentFileView {
  readonly name: string;
  readonly size: SizeView;
}

export const contextMessages = [
  /** Lets the user choose what to add. */
  z.strictObject({ type: z.literal('add-context') }),
  z.strictObject({ type: z.literal('remove-context'), id }),
  /** Moves an attached text into the message box. */
  z.strictObject({ type: z.literal('insert-context'), id }),
  /** Opens the source of an item. */
  z.strictObject({ type: z.literal('open-context'), id }),
  /** Adds files that were dropped, by their addresses. */
  z.strictObject({ type: z.literal('drop-files'), uris: droppedUris }),
  /**
   * Adds a file that was dropped from outside VS Code, or a long text that was pasted. The text is absent if the
   * file has too many bytes.
   */
  z.strictObject({
    type: z.literal('drop-text'),
    name: z.string().max(1024),
    bytes: z.int().min(0),
    text,
  }),
  /** Shows what was sent with a question, as it was sent. */
  z.strictObject({ type: z.literal('open-sent-file'), turnId: id, index: z.int().min(0).max(63) }),
] as const;

export type ContextMessage = Readonly<z.infer<(typeof contextMessages)[number]>>;
