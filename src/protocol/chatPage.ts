/** The messages between the chat page and the extension host, which checks what it receives. */
import * as z from 'zod';
import { type AskedFileView, type ContextView, contextMessages } from './chatContext.ts';
import { compareMessages } from './compareMessage.ts';
import { type CompletionsView, type CompletionTrigger, completionMessages } from './completion.ts';
import type { Notice } from './notice.ts';
import {
  id,
  type ParameterValues,
  parameterValues,
  picturePiece,
  type ReplyAction,
  ready,
  replyAction,
  text,
} from './pageMessage.ts';
import {
  commonName,
  type DefaultState,
  parametersAction,
  type SystemPromptView,
  systemPrompt,
} from './parameters.ts';
import { type PromptFormView, promptFormMessages } from './promptForm.ts';
import { applyCode, findFiles, replyMessages, wrapCode } from './replyMessage.ts';
import { type SchemaCheckView, schemaCheckMessages } from './schemaCheck.ts';

/** A notice under a reply that did not complete, or about the target of the next question. */
export type ReplyNotice = Notice<ReplyAction>;

/** The figures under a reply. One that was not reported is absent. */
export interface ReplyFigures {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Within the input. */
  readonly cachedTokens?: number;
  readonly cacheWriteTokens?: number;
  /** Within the output. */
  readonly reasoningTokens?: number;
  /** The reply ended before its last count of output tokens came. */
  readonly outputIsPartial?: boolean;
  readonly firstTokenMs?: number;
  readonly totalMs?: number;
  readonly tokensPerSecond?: number;
  /** How the reply ended, in a word or two. */
  readonly end?: string;
  /** The same as the provider writes it, such as `stop`. */
  readonly finishReason?: string;
  readonly cost?: CostView;
  /** Why there is no cost, in words. */
  readonly unknownCost?: string;
  /** The gateway's own id of the request, which can be copied. */
  readonly gatewayRequestId?: string;
}

/** What a reply cost, such as "about $0.0012", and whose price it is. */
export interface CostView {
  readonly text: string;
  readonly explanation: string;
}

export interface ToolCallView {
  readonly name: string;
  readonly arguments: string;
}

/** A picture, as base64. */
export interface ImageView {
  readonly mimeType: string;
  readonly data: string;
}

export interface CitationView {
  readonly title: string;
  readonly url: string | undefined;
}

/** One choice of a reply. */
export interface ReplyView {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCallView[];
  readonly images: readonly ImageView[];
  readonly citations: readonly CitationView[];
}

/** An addition to one choice of a reply. A field without an addition is absent. */
export interface ReplyDelta {
  readonly choice: number;
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls?: readonly ToolCallDelta[];
  readonly images?: readonly ImageView[];
  readonly citations?: readonly CitationView[];
}

/** An addition to the tool call at a position of the reply; one beyond the last begins a new call. */
export interface ToolCallDelta {
  readonly position: number;
  /** The whole name, in the addition that brings it. */
  readonly name?: string;
  readonly arguments: string;
}

/** One question and the choices of its reply. */
export interface Turn {
  readonly id: string;
  readonly question: string;
  readonly images: readonly ImageView[];
  /** The code that went along. */
  readonly files?: readonly AskedFileView[];
  readonly model: string;
  readonly state: 'waiting' | 'streaming' | 'done';
  readonly replies: readonly ReplyView[];
  readonly figures: ReplyFigures;
  /** The user wrote the reply, or its end. */
  readonly isEdited?: true;
  readonly notice?: ReplyNotice;
  /** For how long nothing of the reply has arrived, in milliseconds; absent once it ended. */
  readonly waitedMs?: number;
  /** What the format could not carry of the conversation, in words for the user; empty where it was just told. */
  readonly omitted: readonly string[];
  /** Where the question stands among its alternatives; absent for the only one. */
  readonly questionBranch?: BranchView;
  /** The same of the answer. */
  readonly answerBranch?: BranchView;
}

/** Answers side by side, and what was said below each. */
export interface ComparisonView {
  /** Whether all columns begin with the same question, which is shown once, above them. */
  readonly sharesQuestion: boolean;
  /** The turns of each column; by its id for one that the page shows in a column already. */
  readonly columns: readonly (readonly (Turn | string)[])[];
}

/** A question or answer among its alternatives. */
export interface BranchView {
  /** From 1. */
  readonly number: number;
  readonly count: number;
  /** The id of the one before it, and of the one after it. */
  readonly previous?: string;
  readonly next?: string;
}

/** The target of the next question, and what prevents it. */
export interface ChatTarget {
  /** Name of the gateway that the chat asks. */
  readonly gateway: string | undefined;
  readonly model: string | undefined;
  /** The models that the next question asks at once; absent where it asks one. */
  readonly compared?: readonly string[];
  /** Their answers are shown side by side already: the next question goes on with each. */
  readonly isComparing?: boolean;
  /** There is no model yet, because the gateway's list is being read. */
  readonly isLoading?: boolean;
  /** The API format's name for people, such as "Chat Completions (OpenAI)". */
  readonly format: string;
  /** One word of it, for a narrow page. */
  readonly formatShort: string;
  /** How many parameters are set in this format. */
  readonly parametersSet: number;
  /** What the chat cost so far, in words; absent where nothing of it is known. */
  readonly cost?: string;
  /** The chat was cleared, which can be undone. */
  readonly canUndoClear?: boolean;
  /** Why there is no model, or only an old list; absent when all is well. */
  readonly notice?: ReplyNotice;
  /** Questions to begin an empty chat with. */
  readonly suggestions?: readonly string[];
}

/** The question that is sent once the reply before it is complete. */
export interface QueuedQuestion {
  readonly text: string;
  /** How many pictures go with it. */
  readonly pictures: number;
  /** How many pieces of code go with it. */
  readonly files?: number;
}

/** Everything the page shows. Sent whole when the page says `ready`; the page keeps no truth of its own. */
export interface ChatState {
  /** Identifies the chat: a page that VS Code brings back names it. */
  readonly chat: string;
  /** What was typed and not sent, for a page that does not know it. */
  readonly draft: string;
  /** The last turns of the path. */
  readonly turns: readonly Turn[];
  /** How many turns stand before them, which follow in messages of their own; absent for none. */
  readonly earlier?: number;
  /** What is side by side after these turns. */
  readonly comparison?: ComparisonView | undefined;
  /** The ids of the turns that do not go along with the next question. */
  readonly leftOut: readonly string[];
  readonly target: ChatTarget;
  /** The pictures that go with the next question. */
  readonly attachments: readonly ImageView[];
  /** The code that goes with the next question. */
  readonly context?: readonly ContextView[];
  readonly queued: QueuedQuestion | undefined;
  /** What was deleted and can be brought back, as a sentence. */
  readonly deleted?: string;
  /** Whether long lines of code wrap. */
  readonly wrapsCode?: boolean;
  readonly systemPrompt: SystemPromptView;
  /** The characters that open the list of suggestions in the message box. */
  readonly completionTriggers?: readonly CompletionTrigger[];
  /** A prompt file that waits for what the user writes. */
  readonly promptForm?: PromptFormView | undefined;
  /** How replies stand to the schemas that were asked for, by the ids of their turns. */
  readonly schemaChecks?: Readonly<Record<string, SchemaCheckView>>;
}

/** What the parameters sheet shows. */
export interface ParametersView {
  /** JSON Schema of the common parameters that the format takes. */
  readonly commonSchema: object;
  /** The common parameters that are set, also those that the format does not take. */
  readonly common: ParameterValues;
  /** JSON Schema of all other fields of the format's request. */
  readonly schema: object;
  readonly values: ParameterValues;
  /** Names of the common parameters that are set, and that the format does not take. */
  readonly unused: readonly string[];
  readonly model: string | undefined;
  readonly defaults: DefaultState;
  /** Whether a reset can be undone. */
  readonly wasReset: boolean;
}

/** Host to page. `seq` grows by one per message; a page that misses one asks for `ready` again. */
export type ToChatPage = { readonly seq: number } & (
  | { readonly type: 'state'; readonly state: ChatState }
  /** The turns before those that the page has. */
  | { readonly type: 'earlier'; readonly turns: readonly Turn[] }
  /** A turn began, changed or ended. Replaces the turn with this id, else is appended. */
  | { readonly type: 'turn'; readonly turn: Turn }
  /** The first turns, whose number is `kept`, stay; after them another branch is shown. */
  | {
      readonly type: 'path';
      readonly kept: number;
      readonly turns: readonly Turn[];
      readonly comparison?: ComparisonView | undefined;
      readonly leftOut: readonly string[];
    }
  /** The ids of the turns that do not go along with the next question. */
  | { readonly type: 'left-out'; readonly turnIds: readonly string[] }
  /** An addition to a streaming turn, at most one message a frame for each choice. */
  | ({ readonly type: 'delta'; readonly turnId: string } & ReplyDelta)
  | { readonly type: 'target'; readonly target: ChatTarget }
  /** A question that was not sent, to go back into the message box. */
  | { readonly type: 'unsent'; readonly text: string }
  | { readonly type: 'attachments'; readonly attachments: readonly ImageView[] }
  | { readonly type: 'context'; readonly context: readonly ContextView[] }
  | { readonly type: 'queued'; readonly queued: QueuedQuestion | undefined }
  /** What was deleted and can be brought back, as a sentence; absent where that is over. */
  | { readonly type: 'deleted'; readonly text?: string }
  | { readonly type: 'system-prompt'; readonly prompt: SystemPromptView }
  /** Answers `open-parameters`. */
  | ({ readonly type: 'parameters' } & ParametersView)
  /** How the parameters stand to what is kept, while the sheet shows them. */
  | ({ readonly type: 'parameters-kept' } & Pick<ParametersView, 'defaults' | 'wasReset'>)
  /** The parameters changed outside the sheet: an open one asks for them again. */
  | { readonly type: 'parameters-changed' }
  /** Answers `preview-request` with the request as it would be sent, and what the format cannot carry. */
  | { readonly type: 'request'; readonly json: string; readonly omitted: readonly string[] }
  /** Answers `find-files` with those that exist. */
  | { readonly type: 'files'; readonly existing: readonly string[] }
  | ({ readonly type: 'completions' } & CompletionsView)
  /** A reply was held against its schema. */
  | { readonly type: 'schema-check'; readonly turnId: string; readonly check: SchemaCheckView }
  /** The form of a prompt file opens, or closes. */
  | { readonly type: 'prompt-form'; readonly form: PromptFormView | undefined }
  /** An action of the user outside the page, by a command or a key. */
  | {
      readonly type: 'perform';
      readonly action:
        | 'focus-composer'
        | 'quote'
        | 'focus-prompt-form'
        | 'focus-last-reply'
        | 'edit-system-prompt'
        | 'focus-next-column'
        | 'focus-previous-column'
        | 'find';
    }
  /** Scrolls to a turn that was looked for, and marks it, and in it these words. */
  | { readonly type: 'reveal'; readonly turnId: string; readonly words: readonly string[] }
);

/** Page to host. */
export const fromChatPage = z.discriminatedUnion('type', [
  ready,
  z.strictObject({ type: z.literal('send'), text }),
  /** Stops all replies, or that of one turn. */
  z.strictObject({ type: z.literal('stop'), turnId: id.optional() }),
  /** The text in the message box changed. */
  z.strictObject({ type: z.literal('draft'), text }),
  /** Puts the queued question back into the message box. */
  z.strictObject({ type: z.literal('edit-queued') }),
  z.strictObject({ type: z.literal('remove-queued') }),
  z.strictObject({ type: z.literal('copy-reply'), turnId: id, choice: z.int().min(0).max(127) }),
  /** Asks the question of a turn in other words. */
  z.strictObject({ type: z.literal('edit-question'), turnId: id, text }),
  /** Keeps the user's own text beside the answer of a turn. */
  z.strictObject({ type: z.literal('edit-answer'), turnId: id, text }),
  /** Shows the branch of a question or answer. */
  z.strictObject({ type: z.literal('show-branch'), messageId: id }),
  /** Deletes the question or the answer of a turn, with all that follows it. */
  z.strictObject({ type: z.literal('delete-message'), turnId: id, of: z.enum(['question', 'answer']) }),
  z.strictObject({ type: z.literal('undo-delete') }),
  z.strictObject({ type: z.literal('dismiss-deleted') }),
  /** Opens a chat of its own with what was said up to a turn. */
  z.strictObject({ type: z.literal('fork'), turnId: id }),
  z.strictObject({ type: z.literal('copy-code'), text }),
  z.strictObject({ type: z.literal('copy-request-id'), turnId: id }),
  z.strictObject({ type: z.literal('copy-gateway-request-id'), turnId: id }),
  z.strictObject({ type: z.literal('attach-piece'), ...picturePiece }),
  z.strictObject({ type: z.literal('detach'), index: z.int().min(0).max(63) }),
  z.strictObject({ type: z.literal('open-parameters') }),
  /** Sets the fields of the format that are no common parameters. */
  z.strictObject({ type: z.literal('set-parameters'), values: parameterValues }),
  /** Sets a common parameter from the sheet; an absent value takes it out. */
  z.strictObject({
    type: z.literal('set-common-parameter'),
    name: z.union([commonName, z.literal('systemPrompt')]),
    value: z.unknown().optional(),
  }),
  /** Sets the system prompt from above the conversation. */
  z.strictObject({ type: z.literal('set-system-prompt'), text: systemPrompt }),
  z.strictObject({ type: z.literal('parameters-action'), action: parametersAction }),
  z.strictObject({ type: z.literal('preview-request'), text }),
  z.strictObject({ type: z.literal('copy-request'), text }),
  /** A link in a reply was clicked: the host shows the whole address and asks before opening it. */
  z.strictObject({ type: z.literal('open-link'), url: z.string().max(8192) }),
  ...completionMessages,
  ...promptFormMessages,
  ...contextMessages,
  ...compareMessages,
  ...schemaCheckMessages,
  ...replyMessages,
  applyCode,
  findFiles,
  wrapCode,
  z.strictObject({ type: z.literal('action'), turnId: id.optional(), action: replyAction }),
]);

export type FromChatPage = Readonly<z.infer<typeof fromChatPage>>;
