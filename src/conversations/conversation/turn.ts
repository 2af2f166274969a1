import type { JsonObject } from '../../base/json.ts';
import type { ChatResult } from '../../client/types.ts';
import type { TextFormatId } from '../../wire/apis/textFormats.ts';
import type { Explanation } from '../../wire/explanations/explanation.ts';
import type { Message } from '../../wire/message.ts';
import type { AskedFile } from './askedFile.ts';
import type { CostRecord, MissingPart } from './record.ts';
import { type Image, isEmptyReply, type Reply } from './reply.ts';

/** What the user wrote, with what goes along. */
export interface Prompt {
  readonly text: string;
  readonly images: readonly Image[];
  /** Code, as it was when the question was sent. Absent for none. */
  readonly files?: readonly AskedFile[] | undefined;
  /** What was attached and whose bytes are not on the disk any more, or were not imported. Absent for none. */
  readonly missing?: readonly MissingPart[] | undefined;
}

/** Whether nothing is left of a question, since all of it was attached and is gone. There is nothing to ask then. */
export function isGone({ text, images, files = [], missing = [] }: Prompt): boolean {
  return missing.length > 0 && text.trim() === '' && images.length === 0 && files.length === 0;
}

/** A question that is not asked yet: of code it has where it is, since its text is taken when it is asked. */
export interface UnsentPrompt extends Omit<Prompt, 'files' | 'missing'> {
  /** `ContextReference`s as JSON; absent for none. */
  readonly context?: readonly JsonObject[];
  /** The models that are chosen to be asked at once; absent for one. */
  readonly models?: readonly string[];
}

/** What an earlier session left in the message box. */
export interface KeptDraft extends UnsentPrompt {
  /** The hashes of pictures that are not on the disk any more; absent for none. */
  readonly gone?: readonly string[];
}

/** Who is asked, and with what beside the question. */
export interface Asking {
  readonly model: string;
  readonly format: TextFormatId;
  /** Instructions above the conversation. Absent or empty for none. */
  readonly systemPrompt?: string;
  /** Fields of the request besides the conversation, in the format's own names. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A question with its model, format and parameters. */
export type Question = Prompt & Asking;

/** How a reply ended, and what it cost by the prices of that time. */
export interface ReplyResult extends ChatResult {
  /** Absent where nobody knows. */
  readonly cost?: CostRecord;
  /** Of an answer that was continued: a part of it was cut, or did not tell what the others did. */
  readonly isLeast?: true;
  /** Of an answer that was continued: for how long its parts arrived, in milliseconds. */
  readonly writingMs?: number;
}

/** One answer so far. */
export interface Answer {
  readonly id: string;
  readonly asked: Asking;
  /** One reply for each choice. Only the first one goes into later requests. */
  readonly replies: readonly Reply[];
  /** What the format could not carry of the conversation. */
  readonly omitted: readonly Explanation[];
  /** Absent while the reply arrives. */
  readonly result: ReplyResult | undefined;
  /**
   * When something of the reply last arrived, or else when it was asked, in milliseconds of a monotonic clock
   * (`performance.now()`).
   */
  readonly heardAt: number;
  /** The answer that the user edited to make this one. */
  readonly editOf?: string;
  /** Why nobody here saw the reply end; absent once it has ended. */
  readonly unfinished?: Unfinished;
}

/**
 * `left`: the window that received a reply ended before it. `elsewhere`: another window receives it. `missing`: the
 * question has no answer any more, or never had one.
 */
export type Unfinished = 'left' | 'elsewhere' | 'missing';

/** One question with one of its answers. An answer that was continued is read as one with what continues it. */
export interface Turn extends Pick<Answer, 'replies' | 'omitted' | 'result' | 'heardAt' | 'unfinished'> {
  /** The id of the answer, or of the last one that continues it. */
  readonly id: string;
  /** The id of the first answer, which differs from `id` once it was continued. */
  readonly answerId: string;
  readonly questionId: string;
  readonly question: Question;
  /** The user wrote it, or the end of it. */
  readonly isEdited?: true;
}

/** Whether nothing of a turn's reply arrived. */
export function isEmpty({ replies }: Pick<Turn, 'replies'>): boolean {
  return replies.every(isEmptyReply);
}

/** The messages for a request, independent of formats, and what they leave out. */
export interface History {
  readonly messages: readonly Message[];
  readonly omitted: readonly Explanation[];
}
