/** The messages between the chat page and the extension host. Types only; the host checks what it receives. */

/** What the page may offer to do about a reply that did not end well. */
export type ReplyAction =
  | 'again'
  | 'continue'
  | 'connect'
  | 'use-demo-gateway'
  | 'set-credential'
  | 'change-address'
  | 'choose-model'
  | 'choose-style'
  | 'refresh-models'
  | 'new-chat'
  | 'move-chat'
  | 'open-timeouts'
  | 'open-proxy'
  | 'show-log';

/** A button: what it asks for and the words on it. */
export interface ReplyButton {
  readonly action: ReplyAction;
  readonly label: string;
}

/** One quiet line under a reply that ended other than complete. */
export interface ReplyNotice {
  /** The class in plain words, such as "The gateway refused the credential". */
  readonly title: string;
  /** One sentence of cause, the gateway's own words quoted, and what to do next. */
  readonly detail: string;
  readonly requestId?: string;
  /** The gateway's own id of the request. */
  readonly gatewayRequestId?: string;
  readonly actions: readonly ReplyButton[];
  readonly severity: 'info' | 'error';
}

/** The figures under a reply. Absent figures were not reported. */
export interface ReplyFigures {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly firstTokenMs?: number;
  readonly totalMs?: number;
  readonly tokensPerSecond?: number;
  /** The provider's own word, such as `stop`. */
  readonly finishReason?: string;
  /** The gateway's own id of the request, which can be copied. */
  readonly gatewayRequestId?: string;
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

/** What the model said in one choice. */
export interface ReplyView {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCallView[];
  readonly images: readonly ImageView[];
  readonly citations: readonly CitationView[];
}

/** What was added to one choice of a reply. What is absent did not grow. */
export interface ReplyDelta {
  readonly choice: number;
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls?: readonly ToolCallDelta[];
  readonly images?: readonly ImageView[];
  readonly citations?: readonly CitationView[];
}

/** What was added to the tool call at a position of the reply, or the next one after the last. */
export interface ToolCallDelta {
  readonly position: number;
  /** The name in full, when it came. */
  readonly name?: string;
  readonly arguments: string;
}

/** One question and what the model replied: one reply for each choice that was asked for. */
export interface Turn {
  readonly id: string;
  readonly question: string;
  readonly images: readonly ImageView[];
  readonly model: string;
  readonly state: 'waiting' | 'streaming' | 'done';
  readonly replies: readonly ReplyView[];
  readonly figures: ReplyFigures;
  readonly notice?: ReplyNotice;
  /** How long the question has been waiting for the first word, while it still does. */
  readonly waitedMs?: number;
  /** What the style could not carry of the conversation, in plain words. */
  readonly omitted: readonly string[];
}

/** Fields of a request by name; only what was set. */
export type ParameterValues = Readonly<Record<string, unknown>>;

/** What a new question would go to, and what stands in its way. */
export interface ChatTarget {
  /** Name of the gateway that the chat asks. */
  readonly gateway: string | undefined;
  readonly model: string | undefined;
  /** The style's name for people, such as "Chat completions". */
  readonly style: string;
  /** How many parameters are set in this style. */
  readonly parametersSet: number;
  /** Why there is no model, or only an old list, with what helps; absent when all is well. */
  readonly notice?: ReplyNotice;
}

/** Everything the page shows. Sent whole when the page says `ready`; the page keeps no truth of its own. */
export interface ChatState {
  readonly turns: readonly Turn[];
  readonly target: ChatTarget;
  /** The pictures that go with the next question. */
  readonly attachments: readonly ImageView[];
}

/** Host to page. `seq` grows by one per message; a page that misses one asks for `ready` again. */
export type ToChatPage = { readonly seq: number } & (
  | { readonly type: 'state'; readonly state: ChatState }
  /** A turn began, changed state or ended: replaces the turn of the same id, or is added last. */
  | { readonly type: 'turn'; readonly turn: Turn }
  /** What a streaming turn brought, at most one message a frame for each choice. */
  | ({ readonly type: 'delta'; readonly turnId: string } & ReplyDelta)
  | { readonly type: 'target'; readonly target: ChatTarget }
  /** A question that was not sent, to go back into the message box. */
  | { readonly type: 'unsent'; readonly text: string }
  | { readonly type: 'attachments'; readonly attachments: readonly ImageView[] }
  /** Answers `open-parameters`: what can be set in the current style, as JSON Schema, and what is. */
  | { readonly type: 'parameters'; readonly schema: object; readonly values: ParameterValues }
  /** Answers `preview-request`: the request as it would be sent, and what the style cannot carry. */
  | { readonly type: 'request'; readonly json: string; readonly omitted: readonly string[] }
  /** Something the user asked for from outside the page (a command or a key binding). */
  | { readonly type: 'perform'; readonly action: 'focus-composer' | 'focus-last-reply' }
);

/** Page to host. `channel` is the random word given to this page in its HTML. */
export type FromChatPage = { readonly channel: string } & (
  | { readonly type: 'ready' }
  | { readonly type: 'send'; readonly text: string }
  | { readonly type: 'stop' }
  | { readonly type: 'copy-reply'; readonly turnId: string; readonly choice: number }
  | { readonly type: 'copy-code'; readonly text: string }
  | { readonly type: 'copy-request-id' | 'copy-gateway-request-id'; readonly turnId: string }
  /** Opens a dialog to choose picture files. */
  | { readonly type: 'attach-files' }
  /** A piece of a pasted or dropped picture, as base64 of at most 512 KiB; `id` is the page's own. */
  | { readonly type: 'attach-piece'; readonly id: string; readonly data: string; readonly last: boolean }
  | { readonly type: 'detach'; readonly index: number }
  | { readonly type: 'open-parameters' }
  | { readonly type: 'set-parameters'; readonly values: ParameterValues }
  | { readonly type: 'preview-request'; readonly text: string }
  | { readonly type: 'copy-request'; readonly text: string }
  /** A link in a reply was clicked: the host shows the whole address and asks before opening it. */
  | { readonly type: 'open-link'; readonly url: string }
  | { readonly type: 'action'; readonly turnId: string | undefined; readonly action: ReplyAction }
);
