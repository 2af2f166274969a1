import type { JsonObject } from '../../base/json.ts';
import type { ChatResult } from '../../client/types.ts';
import type { TextFormatId } from '../../wire/apis/textFormats.ts';
import type { Explanation } from '../../wire/explanations/explanation.ts';
import type { Message } from '../../wire/message.ts';
import type { AttachedFile } from './attachedFile.ts';
import type { CostRecord, MissingPart } from './conversationRecord.ts';
import { type Image, isEmptyReply, type Reply } from './reply.ts';

/** The user's text with its attachments. */
export interface Prompt {
  readonly text: string;
  readonly images: readonly Image[];
  /** Code at the time when the question was sent. Absent for none. */
  readonly files?: readonly AttachedFile[] | undefined;
  /** Attachments whose bytes are no longer on the disk, or were not imported. Absent for none. */
  readonly missing?: readonly MissingPart[] | undefined;
}

/** Whether a question is empty because all its attachments are missing. Such a question cannot be sent. */
export function isPromptMissing({ text, images, files = [], missing = [] }: Prompt): boolean {
  return missing.length > 0 && text.trim() === '' && images.length === 0 && files.length === 0;
}

/** A question that is not sent yet. It has references to code; the text is read when the question is sent. */
export interface UnsentPrompt extends Omit<Prompt, 'files' | 'missing'> {
  /** `ContextReference`s as JSON; absent for none. */
  readonly context?: readonly JsonObject[];
  /** The selected models if there are several; absent for one. */
  readonly models?: readonly string[];
}

/** The unsent content of the message box from an earlier session. */
export interface RestoredDraft extends UnsentPrompt {
  /** The hashes of pictures that are no longer on the disk; absent for none. */
  readonly missingPictures?: readonly string[];
}

/** The model, format and parameters of a request. */
export interface ReplySettings {
  readonly model: string;
  readonly format: TextFormatId;
  /** The system prompt. Absent or empty for none. */
  readonly systemPrompt?: string;
  /** Fields of the request besides the conversation, in the format's own names. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A question with its model, format and parameters. */
export type Question = Prompt & ReplySettings;

/** The result of a reply, and its cost at the prices of that time. */
export interface ReplyResult extends ChatResult {
  /** Absent if unknown. */
  readonly cost?: CostRecord;
  /** Of a continued reply: the values are minimums, because a part ended early or did not report values. */
  readonly isLowerBound?: true;
  /** Of a continued reply: the total time during which its parts arrived, in milliseconds. */
  readonly writingMs?: number;
}

/** One reply, complete or still arriving. */
export interface ConversationReply {
  readonly id: string;
  readonly settings: ReplySettings;
  /** One for each choice. Later requests include only the first one. */
  readonly replies: readonly Reply[];
  /** The parts of the conversation that the format could not express. */
  readonly omitted: readonly Explanation[];
  /** Absent while the reply arrives. */
  readonly result: ReplyResult | undefined;
  /**
   * The time when the last part of the reply arrived, or else the time of the request, in milliseconds of a
   * monotonic clock (`performance.now()`).
   */
  readonly lastActivityAt: number;
  /** The id of the reply that the user edited. */
  readonly editOf?: string;
  /** Why this window did not receive the end of the reply; absent once the reply has ended. */
  readonly unfinished?: Unfinished;
}

/**
 * `left`: the window that received the reply closed before it ended. `elsewhere`: another window receives the
 * reply. `missing`: the question has no reply.
 */
export type Unfinished = 'left' | 'elsewhere' | 'missing';

/** One question with one of its replies. A continued reply and its continuations form one turn. */
export interface Turn
  extends Pick<ConversationReply, 'replies' | 'omitted' | 'result' | 'lastActivityAt' | 'unfinished'> {
  /** The id of the reply, or of its last continuation. */
  readonly id: string;
  /** The id of the first reply, which differs from `id` if the reply was continued. */
  readonly firstReplyId: string;
  readonly questionId: string;
  readonly question: Question;
  /** Whether the user wrote the reply, or its last part. */
  readonly isEdited?: true;
}

export function isEmptyTurn({ replies }: Pick<Turn, 'replies'>): boolean {
  return replies.every(isEmptyReply);
}

/** The messages for a request, independent of formats, and the omitted parts. */
export interface History {
  readonly messages: readonly Message[];
  readonly omitted: readonly Explanation[];
}
