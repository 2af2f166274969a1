/** The context that is sent with a question of a chat: code, files and texts. */
import * as z from 'zod';
import { droppedUris, id, text } from './pageMessage.ts';

/** An item of context that is sent with the next question. */
export interface ContextView {
  readonly id: string;
  /** Its source, such as `src/a.ts#L10-20`. */
  readonly name: string;
  /** The name of a codicon, without `codicon-`. */
  readonly icon: string;
  /** Absent until the source has been read. */
  readonly size?: SizeView;
  /** Whether the source has changed since the item was added. */
  readonly isChanged?: boolean;
  /** Whether it is a text without a source, which can be moved into the message box. */
  readonly isText?: boolean;
  /** Why it cannot be sent now, as text. */
  readonly problem?: string;
}

export interface SizeView {
  readonly bytes: number;
  /** In UTF-16 units. */
  readonly characters: number;
  /** An estimate. */
  readonly tokens: number;
}

/** An item of context that was sent with a question. */
export interface SentFileView {
  readonly name: string;
  readonly size: SizeView;
}

export const contextMessages = [
  /** Opens the picker for context. */
  z.strictObject({ type: z.literal('add-context') }),
  z.strictObject({ type: z.literal('remove-context'), id }),
  /** Moves an attached text into the message box. */
  z.strictObject({ type: z.literal('insert-context'), id }),
  /** Opens the source of an item. */
  z.strictObject({ type: z.literal('open-context'), id }),
  /** Adds dropped files, by their addresses. */
  z.strictObject({ type: z.literal('drop-files'), uris: droppedUris }),
  /**
   * Adds a file that was dropped from outside VS Code, or a long text that was pasted. The text is empty if the
   * file has more than 1 MB, or cannot be read.
   */
  z.strictObject({
    type: z.literal('drop-text'),
    name: z.string().max(1024),
    bytes: z.int().min(0),
    text,
  }),
  /** Shows an item of context as it was sent with a question. */
  z.strictObject({ type: z.literal('open-sent-file'), turnId: id, index: z.int().min(0).max(63) }),
] as const;

export type ContextMessage = Readonly<z.infer<(typeof contextMessages)[number]>>;
