import type * as vscode from 'vscode';
import type { AnswerChecker } from '../../../conversations/answerCheck/answerChecker.ts';
import { shownTurnOf } from '../../../conversations/shownTurn.ts';
import {
  type ChatState,
  type FromChatPage,
  fromChatPage,
  type ToChatPage,
} from '../../../protocol/chatPage.ts';
import { setContextKey } from '../../kit/contributions.ts';
import { renameTab, revealTab } from '../../kit/display/tabs.ts';
import { Page, type PageFrame } from '../../kit/pages/page.ts';
import { AnswerChecks } from '../answerSchema/answerChecks.ts';
import type { ChatSession } from '../chatSession.ts';
import type { CompletionProvider } from '../completion/completionProvider.ts';
import { Completions } from '../completion/completions.ts';
import type { ContextTools } from '../context/contextTools.ts';
import { contextViews } from '../context/contextView.ts';
import { ChatMessages } from '../messages/chatMessages.ts';
import { ChatParametersPage } from '../parameters/chatParametersPage.ts';
import type { ChangedBy } from '../parameters/chosenParameters.ts';
import { PromptForm } from '../prompts/promptForm.ts';
import type { PromptMemory } from '../prompts/promptMemory.ts';
import type { ReplyTools } from '../replies/replyTools.ts';
import type { SessionEvent } from '../sessionEvent.ts';
import { attachmentViews, chatState, chatTarget, deletedView, queuedView } from '../view/chatState.ts';
import { leftOut, viewOfTurn } from '../view/chatView.ts';
import { chatTitle } from './chatTitle.ts';
import { EarlierTurns } from './earlierTurns.ts';
import { ShownTurns } from './shownTurns.ts';

/** What a chat does beyond its tab. */
interface ChatTabs {
  /** Opens a chat in a tab of its own. */
  open(session: ChatSession): Promise<ChatPanel>;
  /** Takes over a chat whose tab was closed. */
  closed(session: ChatSession): void;
}

/** What all chats are helped by. */
export interface ChatTools {
  readonly replies: ReplyTools;
  readonly completions: readonly CompletionProvider[];
  readonly promptMemory: PromptMemory;
  readonly context: ContextTools;
  readonly answerChecker: AnswerChecker;
}

type PageAction = Extract<ToChatPage, { type: 'perform' }>['action'];

/**
 * The editor tab of one chat. The session holds the state, and the page shows it: the page may be hidden,
 * reloaded or closed at any moment.
 */
export class ChatPanel {
  /** The chat that commands and keys were told of last: the one that was active last. */
  static #told: ChatPanel | undefined;
  readonly panel: vscode.WebviewPanel;
  readonly session: ChatSession;
  readonly #tabs: ChatTabs;
  readonly #page: Page<FromChatPage, ToChatPage>;
  readonly #tools: ReplyTools;
  readonly #parameters: ChatParametersPage;
  readonly #earlier: EarlierTurns;
  readonly #completions: Completions;
  readonly #checks: AnswerChecks;
  /** Fills the message box with prompts. */
  readonly prompts: PromptForm;
  readonly #shown = new ShownTurns();

  constructor(frame: PageFrame, session: ChatSession, tabs: ChatTabs, tools: ChatTools) {
    this.panel = frame.panel;
    this.session = session;
    this.#tabs = tabs;
    this.#tools = tools.replies;
    this.#parameters = new ChatParametersPage(session);
    this.#checks = new AnswerChecks(session, tools.answerChecker);
    this.prompts = new PromptForm(session, tools.promptMemory);
    this.#completions = new Completions(tools.completions, session, (completions) =>
      this.#page.post({ type: 'completions', ...completions }),
    );
    const messages = new ChatMessages({
      session,
      parameters: this.#parameters,
      completions: this.#completions,
      checks: this.#checks,
      prompts: this.prompts,
      context: tools.context,
      replies: tools.replies,
      post: (message) => this.#page.post(message),
      focusMessageBox: () => this.perform('focus-composer'),
      open: async (other) => (await tabs.open(other)).perform('focus-composer'),
    });
    this.#page = new Page(frame, {
      messages: fromChatPage,
      state: () => ({ type: 'state', state: this.#state() }),
      handle: (message) => messages.handle(message),
    });
    this.#earlier = new EarlierTurns({
      conversation: () => session.conversation,
      post: (turns) => this.#page.post({ type: 'earlier', turns }),
    });
    this.#page.own(
      this.#earlier,
      this.#completions,
      this.#checks,
      this.#checks.onDidCheck((turnId) => {
        const check = this.#checks.view(turnId);
        if (check) this.#page.post({ type: 'schema-check', turnId, check });
      }),
      this.prompts,
      this.prompts.onDidChange(() => this.#page.post({ type: 'prompt-form', form: this.prompts.view })),
      session.onDidChange((event) => this.#show(event)),
      session.unsent.attachments.onDidChange(() => {
        this.#page.post({ type: 'attachments', attachments: attachmentViews(session) });
      }),
      session.unsent.context.onDidChange(() => {
        this.#page.post({ type: 'context', context: contextViews(session.unsent.context.entries) });
      }),
      session.unsent.queue.onDidChange(() =>
        this.#page.post({ type: 'queued', queued: queuedView(session) }),
      ),
      session.target.parameters.onDidChange((by) => this.#showParametersChange(by)),
      this.panel.onDidChangeViewState(() => this.#tellCommands()),
    );
    this.panel.onDidDispose(() => this.#close());
    this.#showTitle();
    this.#tellCommands();
  }

  /** Reveals the chat and performs `action` once the page is ready. */
  perform(action: PageAction): void {
    revealTab(this.panel);
    this.#page.postOnceReady({ type: 'perform', action });
  }

  /**
   * Shows a message on its own branch, and marks it once the page is ready.
   *
   * @param words what to mark in it
   * @returns whether it could be shown: no branch is left while its reply arrives
   */
  showMessage(messageId: string, words: readonly string[] = []): boolean {
    revealTab(this.panel);
    this.session.show(messageId);
    const turnId = shownTurnOf(this.session.conversation, messageId);
    if (turnId !== undefined) this.#page.postOnceReady({ type: 'reveal', turnId, words });
    return turnId !== undefined;
  }

  #state(): ChatState {
    this.#shown.all(this.session.conversation);
    const shown = this.#earlier.begin();
    return {
      ...chatState(this.session, shown, this.#parameters, this.#tools.wrapsCode, this.#completions.triggers),
      promptForm: this.prompts.view,
      schemaChecks: this.#checks.views,
    };
  }

  #show(event: SessionEvent): void {
    if (event.type === 'turn') this.#showTurn(event.turnId);
    else if (event.type === 'path') this.#showPath(event.kept);
    else if (event.type === 'deltas') {
      for (const delta of event.deltas) this.#page.post({ type: 'delta', turnId: event.turnId, ...delta });
    } else if (event.type === 'target') this.#showTarget();
    else if (event.type === 'title') this.#showTitle();
    else if (event.type === 'deleted') this.#showDeleted();
    else if (event.type === 'unsent') this.#page.post({ type: 'unsent', text: event.text });
    else {
      this.#showTitle();
      this.#tellCommands();
      this.#showSystemPrompt();
    }
  }

  #showParametersChange(by: ChangedBy): void {
    this.#showTarget();
    if (by === 'other') this.#page.post({ type: 'parameters-changed' });
    else this.#page.post({ type: 'parameters-kept', ...this.#parameters.keptState });
  }

  /** A chat without parameters of its own has those of its model. */
  #showTarget(): void {
    this.#page.post({ type: 'target', target: chatTarget(this.session, this.#parameters.count) });
    this.#showSystemPrompt();
  }

  #showSystemPrompt(): void {
    this.#page.post({ type: 'system-prompt', prompt: this.#parameters.systemPrompt });
  }

  #showTurn(id: string): void {
    const { conversation } = this.session;
    const turn = viewOfTurn(conversation, id);
    if (!turn) return;
    this.#page.post({ type: 'turn', turn });
    this.#page.post({ type: 'left-out', turnIds: leftOut(conversation) });
  }

  /** Shows the turns of the path after those that the page has already. */
  #showPath(kept: number): void {
    const path = this.#shown.path(this.session.conversation, kept);
    if (this.#earlier.has(path.kept)) this.#page.post(path);
    else this.#page.show();
    this.#tellCommands();
    this.#showTarget();
  }

  #showDeleted(): void {
    const { deleted: text } = deletedView(this.session);
    this.#page.post({ type: 'deleted', ...(text !== undefined && { text }) });
    this.#showTitle();
  }

  #showTitle(): void {
    renameTab(this.panel, chatTitle(this.session));
  }

  /** Tells the commands and keys what is possible in the active chat. */
  #tellCommands(): void {
    if (!this.panel.active) return;
    ChatPanel.#told = this;
    setContextKey('chatStreaming', this.session.isStreaming);
    setContextKey('chatComparing', this.session.conversation.comparison.isShown);
  }

  #close(): void {
    if (ChatPanel.#told === this) {
      for (const key of ['chatStreaming', 'chatComparing'] as const) setContextKey(key, false);
    }
    // A reply that arrives is paid for, and goes on. Nothing else is sent unseen.
    if (!this.session.isStreaming) this.session.stop();
    this.session.unsent.giveBackQueued();
    this.#tabs.closed(this.session);
  }
}
