/** The messages between the chat page and the extension host, which checks what it receives. */
import * as z from 'zod';
import { branchMessages } from './branchMessage.ts';
import { type ContextView, contextMessages } from './chatContext.ts';
import type { ComparisonView, ImageView, ReplyDelta, ReplyNotice, Turn } from './chatTurn.ts';
import { compareMessages } from './compareMessage.ts';
import { type CompletionsView, type CompletionTrigger, completionMessages } from './completion.ts';
import { copyMessages } from './copyMessage.ts';
import { messageBoxMessages, type QueuedQuestion } from './messageBox.ts';
import { id, ready, replyAction } from './pageMessage.ts';
import type { SystemPromptView } from './parameters.ts';
import { type ParametersState, type ParametersView, parametersMessages } from './parametersMessage.ts';
import { type PromptFormView, promptFormMessages } from './promptForm.ts';
import { applyCode, findFiles, replyMessages, wrapCode } from './replyMessage.ts';
import { type SchemaCheckView, schemaCheckMessages } from './schemaCheck.ts';

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
  /** The format differs from the default of the model, so the header names it. */
  readonly isFormatChanged?: boolean;
  /** How many parameters are set in this format. */
  readonly parametersSet: number;
  /** What the chat cost so far, in words; absent where nothing of it is known. */
  readonly cost?: string;
  /** Why there is no model, or only an old list; absent when all is well. */
  readonly notice?: ReplyNotice;
  /** Questions to begin an empty chat with. */
  readonly suggestions?: readonly string[];
}

/** The state that the page shows besides the turns. */
export interface ChatFields {
  /** The ids of the turns that do not go along with the next question. */
  readonly leftOut: readonly string[];
  readonly target: ChatTarget;
  /** The pictures that go with the next question. */
  readonly attachments: readonly ImageView[];
  /** The code that goes with the next question. */
  readonly context: readonly ContextView[];
  readonly queued: QueuedQuestion | null;
  /** What was deleted and can be brought back. */
  readonly deleted: DeletedView | null;
  /** Whether long lines of code wrap. */
  readonly wrapsCode: boolean;
  readonly systemPrompt: SystemPromptView;
  readonly parameters: ParametersState;
  /** The characters that open the list of suggestions in the message box. */
  readonly completionTriggers: readonly CompletionTrigger[];
  /** A prompt file that waits for what the user writes. */
  readonly promptForm: PromptFormView | null;
  /** How replies stand to the schemas that were asked for, by the ids of their turns. */
  readonly schemaChecks: Readonly<Record<string, SchemaCheckView>>;
}

export interface DeletedView {
  /** The id of the message that was deleted with all that followed it. */
  readonly id: string;
  /** A sentence for the user. */
  readonly text: string;
}

/** The turns of the path after the first ones, whose number is `kept`. */
export interface PathView {
  readonly kept: number;
  readonly turns: readonly Turn[];
  /** What is side by side after these turns. */
  readonly comparison?: ComparisonView | undefined;
}

/** Everything the page shows, for a page that is new, was hidden or missed a message. */
export interface ChatState extends ChatFields {
  /** Identifies the chat: a page that VS Code brings back names it. */
  readonly chat: string;
  /** What was typed and not sent, for a page that does not know it. */
  readonly draft: string;
  /** The last turns. Those before them follow as `earlier` ones. */
  readonly path: PathView;
}

/** What changed since the page was last sent it; the rest stays as it is. */
export interface ChatPatch extends Partial<ChatFields> {
  /** Turns before those that the page has. */
  readonly earlier?: readonly Turn[];
  /** Another branch: the first turns stay, and these take the place of those after them. */
  readonly path?: PathView;
  /** Each replaces the turn with its id, else follows the last one. */
  readonly changed?: readonly Turn[];
}

/** Host to page. `seq` grows by one per message; a page that misses one asks for `ready` again. */
export type ToChatPage = { readonly seq: number } & (
  | { readonly type: 'state'; readonly isPatch?: undefined; readonly state: ChatState }
  | { readonly type: 'state'; readonly isPatch: true; readonly state: ChatPatch }
  /** An addition to a streaming turn, at most one message a frame for each choice. */
  | ({ readonly type: 'delta'; readonly turnId: string } & ReplyDelta)
  /** A question that was not sent, to go back into the message box. */
  | { readonly type: 'unsent'; readonly text: string }
  /** Answers `open-parameters`, and leads to one field where a failure named it: its path in the form. */
  | ({ readonly type: 'parameters'; readonly field?: readonly string[] } & ParametersView)
  /** Answers `preview-request` with the request as it would be sent, and what the format cannot carry. */
  | {
      readonly type: 'request';
      /** The models that the question would ask. */
      readonly models: readonly string[];
      /** Which of them the request is for. */
      readonly nth: number;
      readonly json: string;
      readonly omitted: readonly string[];
    }
  /** Answers `read-picture` with base64; absent when the bytes are gone. */
  | { readonly type: 'picture'; readonly hash: string; readonly data?: string }
  /** Answers `find-files` with those that exist. */
  | { readonly type: 'files'; readonly existing: readonly string[] }
  | ({ readonly type: 'completions' } & CompletionsView)
  /** An action of the user outside the page, by a command or a key. */
  | {
      readonly type: 'perform';
      readonly action:
        | 'focus-composer'
        | 'focus-composer-late'
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
  /** A picture of the chat comes near the screen. */
  z.strictObject({ type: z.literal('read-picture'), hash: id }),
  wrapCode,
  z.strictObject({ type: z.literal('action'), turnId: id.optional(), action: replyAction }),
  /** A key of a command was pressed that VS Code does not learn of. */
  z.strictObject({ type: z.literal('run'), command: pageCommand }),
]);

export type FromChatPage = Readonly<z.infer<typeof fromChatPage>>;
