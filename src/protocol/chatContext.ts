/** The code that goes along with a question of a chat. */
import * as z from 'zod';
import { droppedUris, id, text } from './pageMessage.ts';

/** Something that is to go along with the next question. */
export interface ContextView {
  readonly id: string;
  /** Where it is from, such as `src/a.ts#L10-20`. */
  readonly name: string;
  /** A codicon, without its prefix. */
  readonly icon: string;
  /** Absent until it was looked at. */
  readonly size?: SizeView;
  /** What it leads to is another text than when it was added. */
  readonly isChanged?: boolean;
  /** It is a text of its own, which can be put into the message box. */
  readonly isText?: boolean;
  /** Why it cannot go along now, in words. */
  readonly problem?: string;
}

export interface SizeView {
  readonly bytes: number;
  readonly characters: number;
  /** Estimated. */
  readonly tokens: number;
}

/** Something that went along with a question. */
export interface AskedFileView {
  readonly name: string;
  readonly size: SizeView;
}

export const contextMessages = [
  /** Asks what to add. */
  z.strictObject({ type: z.literal('add-context') }),
  z.strictObject({ type: z.literal('remove-context'), id }),
  /** Puts a text into the message box that was to go along beside it. */
  z.strictObject({ type: z.literal('write-context'), id }),
  /** Shows where it is from. */
  z.strictObject({ type: z.literal('open-context'), id }),
  /** Adds files that were dropped, by their addresses. */
  z.strictObject({ type: z.literal('drop-files'), uris: droppedUris }),
  /**
   * Adds a file that was dropped from outside of VS Code, without its text where that has too many bytes, or a long
   * text that was pasted.
   */
  z.strictObject({
    type: z.literal('drop-text'),
    name: z.string().max(1024),
    bytes: z.int().min(0),
    text,
  }),
  /** Shows what went along with a question, as it was sent. */
  z.strictObject({ type: z.literal('open-asked-file'), turnId: id, index: z.int().min(0).max(63) }),
] as const;

export type ContextMessage = Readonly<z.infer<(typeof contextMessages)[number]>>;
