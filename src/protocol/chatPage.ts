/** The messages between the chat page and the extension host. The host validates the page's messages. */
import * as z from 'zod';
import { type ContextView, contextMessages } from './chatContext.ts';
import {
  applyCode,
  branchMessages,
  type ComparisonView,
  copyMessages,
  findFilesMessage,
  type ImageView,
  type ReplyDelta,
  type ReplyNotice,
  replyMessages,
  type SchemaCheckView,
  type TurnView,
  wrapCode,
} from './chatTurn.ts';
import { type CompletionsView, type CompletionTrigger, completionMessages } from './completion.ts';
import { messageBoxMessages, type QueuedQuestion } from './messageBox.ts';
import { id, ready, replyAction } from './pageMessage.ts';
import {
  type ParametersState,
  type ParametersView,
  parametersMessages,
  type SystemPromptView,
} from './parameters.ts';
import { type PromptFormView, promptFormMessages } from './promptForm.ts';

/** The target of the next question, and the reason if it cannot be sent. */
export interface ChatTarget {
  /** Name of the gateway that the chat uses. */
  readonly gateway: string | undefined;
  readonly model: string | undefined;
  /** The models that receive the next question at the same time; absent for a single model. */
  readonly compared?: readonly string[];
  /** Whether replies of these models are shown side by side. The next question continues each of the replies. */
  readonly isComparing?: boolean;
  /** Whether there is no model yet, because the page is waiting for the gateway's list. */
  readonly isLoading?: boolean;
  /** The display name of the API format, such as "Chat Completions (OpenAI)". */
  readonly format: string;
  /** A one-word name of the format, for a narrow page. */
  readonly formatShort: string;
  /** Whether the format differs from the model's default, so that the header names it. */
  readonly isFormatChanged?: boolean;
  /** The number of parameters that are set in this format. */
  readonly parametersSet: number;
  /** The cost of the chat so far, as text; absent if no cost is known. */
  readonly cost?: string;
  /** Why there is no model, or only an old list; absent if there is no problem. */
  readonly notice?: ReplyNotice;
  /** Suggested questions for an empty chat. */
  readonly suggestions?: readonly string[];
}

/** The state that the page shows in addition to the turns. */
export interface ChatFields {
  /** The ids of the turns that are not sent with the next question. */
  readonly excludedTurns: readonly string[];
  readonly target: ChatTarget;
  /** The pictures that are sent with the next question. */
  readonly attachments: readonly ImageView[];
  /** The code that is sent with the next question. */
  readonly context: readonly ContextView[];
  /** The question that is sent after the current reply; null if there is none. */
  readonly queued: QueuedQuestion | null;
  /** The deleted message that can be restored; null if there is none. */
  readonly deleted: DeletedView | null;
  /** Whether long lines of code wrap. */
  readonly wrapsCode: boolean;
  readonly systemPrompt: SystemPromptView;
  readonly parameters: ParametersState;
  /** The characters that open the list of suggestions in the message box. */
  readonly completionTriggers: readonly CompletionTrigger[];
  /** A prompt file whose inputs the user has not filled in yet; null if there is none. */
  readonly promptForm: PromptFormView | null;
  /** Whether replies match the requested JSON Schemas, by the ids of their turns. */
  readonly schemaChecks: Readonly<Record<string, SchemaCheckView>>;
}

export interface DeletedView {
  /** The id of the message that was deleted together with all later messages. */
  readonly id: string;
  /** A sentence for the user. */
  readonly text: string;
}

/** The turns of the shown path after its first `unchangedTurns` turns. */
export interface PathView {
  readonly unchangedTurns: number;
  readonly turns: readonly TurnView[];
  /** The columns that follow these turns side by side. */
  readonly comparison?: ComparisonView | undefined;
}

/** The complete state, for a page that is new, was hidden or missed a message. */
export interface ChatState extends ChatFields {
  /** The id of the chat. The page stores it, so that the host finds the chat when VS Code restores the page. */
  readonly chat: string;
  /** The unsent text, for a page that does not have it. */
  readonly draft: string;
  /** The last turns. The turns before them follow as `earlier`. */
  readonly path: PathView;
}

/** The changes since the last message to the page. Absent fields are unchanged. */
export interface ChatPatch extends Partial<ChatFields> {
  /** Turns before the page's first turn. */
  readonly earlier?: readonly TurnView[];
  /** Another branch: its turns replace all turns after the unchanged ones. */
  readonly path?: PathView;
  /** Each turn replaces the turn with its id, or is added at the end. */
  readonly changed?: readonly TurnView[];
}

/** An action that the host requests from the page. */
export type PageAction = Extract<ToChatPage, { type: 'perform' }>['action'];

/** Host to page. `seq` grows by one per message; a page that misses a message sends `ready` again. */
export type ToChatPage = { readonly seq: number } & (
  | { readonly type: 'state'; readonly isPatch?: undefined; readonly state: ChatState }
  | { readonly type: 'state'; readonly isPatch: true; readonly state: ChatPatch }
  /** An addition to a streaming turn; at most one message per frame for each choice. */
  | ({ readonly type: 'delta'; readonly turnId: string } & ReplyDelta)
  /** A question that was not sent: the page inserts it into the message box. */
  | { readonly type: 'unsent'; readonly text: string }
  /** The reply to `open-parameters`. `field` is the path of the field to scroll to, if a failure named a field. */
  | ({ readonly type: 'parameters'; readonly field?: readonly string[] } & ParametersView)
  /**
   * The reply to `preview-request`: the request as it would be sent, and the parts that the format cannot carry.
   */
  | {
      readonly type: 'request';
      /** The models that would receive the question. */
      readonly models: readonly string[];
      /** The index of the model that the request is for. */
      readonly nth: number;
      readonly json: string;
      readonly omitted: readonly string[];
    }
  /** The reply to `read-picture`. `data` is base64; absent if the picture no longer exists. */
  | { readonly type: 'picture'; readonly hash: string; readonly data?: string }
  /** The reply to `find-files`: the files that exist. */
  | { readonly type: 'files'; readonly existing: readonly string[] }
  | ({ readonly type: 'completions' } & CompletionsView)
  /** An action that the user started outside the page, with a command or a key. */
  | {
      readonly type: 'perform';
      readonly action:
        | 'focus-composer'
        /** Like `focus-composer`, but after a delay, so the user may already be typing elsewhere. */
        | 'focus-composer-late'
        | 'quote'
        | 'focus-prompt-form'
        | 'focus-last-reply'
        | 'edit-system-prompt'
        | 'focus-next-column'
        | 'focus-previous-column'
        | 'find';
    }
  /** Scrolls to a turn that was searched for, and marks it and these words in it. */
  | { readonly type: 'reveal'; readonly turnId: string; readonly words: readonly string[] }
);

/** The commands that the page may run. */
const pageCommand = z.enum(['chat.copyReply', 'generate']);

export type PageCommand = z.infer<typeof pageCommand>;

/** Page to host. */
export const fromChatPage = z.discriminatedUnion('type', [
  ready,
  ...messageBoxMessages,
  ...branchMessages,
  ...copyMessages,
  ...parametersMessages,
  ...completionMessages,
  ...promptFormMessages,
  ...contextMessages,
  /** A click on a button of a reply that is compared, or can be compared. */
  z.strictObject({
    type: z.enum([
      /** Shows the column of a turn alone, and continues the chat with it. */
      'continue-with-reply',
      'close-column',
      /** Opens the reply in the diff editor next to another one. */
      'open-differences',
      /** Sends the question of a turn to more models. */
      'compare-reply',
      /** Shows a reply and its alternatives side by side. */
      'compare-branches',
    ]),
    turnId: id,
  }),
  /** Shows one of the problems of a schema check in an editor. */
  z.strictObject({ type: z.literal('open-fault'), turnId: id, index: z.int().min(0).max(1000) }),
  ...replyMessages,
  applyCode,
  findFilesMessage,
  /** A picture of the chat is close to the visible area. */
  z.strictObject({ type: z.literal('read-picture'), hash: id }),
  wrapCode,
  z.strictObject({ type: z.literal('action'), turnId: id.optional(), action: replyAction }),
  /** The user pressed the key of a command, and VS Code does not receive that key from the page. */
  z.strictObject({ type: z.literal('run'), command: pageCommand }),
]);

export type FromChatPage = Readonly<z.infer<typeof fromChatPage>>;
