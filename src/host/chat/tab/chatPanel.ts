import type * as vscode from 'vscode';
import type { Conversation } from '../../../conversations/conversation/conversation.ts';
import type { ReplyChecker } from '../../../conversations/schemaCheck/replyChecker.ts';
import {
  type FromChatPage,
  fromChatPage,
  type PageAction,
  type ToChatPage,
} from '../../../protocol/chatPage.ts';
import { renameTab, revealTab } from '../../kit/display/editorTabs.ts';
import { setContextKey } from '../../kit/manifest/contributions.ts';
import { Page, type PageFrame, type Unnumbered } from '../../kit/pages/page.ts';
import type { CompletionProvider } from '../completion/completions.ts';
import { Completions } from '../completion/completions.ts';
import { ChatPageMessages } from '../pageMessages/chatPageMessages.ts';
import type { ContextMessages } from '../pageMessages/contextMessages.ts';
import { ChatParametersPage } from '../parameters/chatParametersPage.ts';
import { PromptForm } from '../prompts/promptForm.ts';
import type { PromptMemory } from '../prompts/promptMemory.ts';
import type { ReplyActions } from '../replies/replyActions.ts';
import { ReplyChecks } from '../responseSchema/replyChecks.ts';
import type { ChatSession } from '../session/chatSession.ts';
import { formatChatTitle } from '../session/chatTitle.ts';
import type { SessionEvent } from '../session/sessionEvent.ts';
import { ChatPageUpdates } from './chatPageUpdates.ts';
import { createChatFields } from './chatState.ts';

/** A chat's access to other tabs. */
interface ChatTabs {
  /** Opens a chat in its own tab. */
  open(session: ChatSession): Promise<ChatPanel>;
  /** Called with a chat whose tab was closed. The callee then owns the chat. */
  handleClosed(session: ChatSession): void;
}

/** The tools that all chats use. */
interface ChatTools {
  readonly replies: ReplyActions;
  readonly completions: readonly CompletionProvider[];
  readonly promptMemory: PromptMemory;
  readonly context: ContextMessages;
  readonly replyChecker: ReplyChecker;
}

/**
 * The editor tab of a chat. The session has the state, and the page only shows the state, because the page may be
 * hidden, reloaded or closed at any time.
 */
export class ChatPanel {
  /** The chat that the context keys describe, which is the last active chat. */
  static #contextKeyChat: ChatPanel | undefined;
  readonly panel: vscode.WebviewPanel;
  readonly session: ChatSession;
  readonly #tabs: ChatTabs;
  readonly #page: Page<FromChatPage, ToChatPage>;
  readonly #replies: ReplyActions;
  readonly #parameters: ChatParametersPage;
  readonly #completions: Completions;
  readonly #checks: ReplyChecks;
  /** Fills the message box with prompts. */
  readonly prompts: PromptForm;
  readonly #updates: ChatPageUpdates;

  constructor(frame: PageFrame, session: ChatSession, tabs: ChatTabs, tools: ChatTools) {
    this.panel = frame.panel;
    this.session = session;
    this.#tabs = tabs;
    this.#replies = tools.replies;
    this.#parameters = new ChatParametersPage(session);
    this.#checks = new ReplyChecks(session, tools.replyChecker);
    this.prompts = new PromptForm(session, tools.promptMemory);
    this.#completions = new Completions(tools.completions, session, (completions) =>
      this.#post({ type: 'completions', ...completions }),
    );
    const messages = new ChatPageMessages({
      session,
      parameters: this.#parameters,
      completions: this.#completions,
      checks: this.#checks,
      prompts: this.prompts,
      context: tools.context,
      replies: tools.replies,
      post: (message) => this.#post(message),
      focusMessageBox: () => this.perform('focus-composer'),
      open: async (other) => (await tabs.open(other)).perform('focus-composer'),
    });
    this.#updates = new ChatPageUpdates({
      readFields: () =>
        createChatFields(session, this.#parameters, {
          wrapsCode: this.#replies.wrapsCode,
          completionTriggers: this.#completions.triggers,
          promptForm: this.prompts.view ?? null,
          schemaChecks: this.#checks.views,
        }),
      getConversation: () => session.conversation,
      post: (state) => this.#page.post({ type: 'state', isPatch: true, state }),
      postState: () => this.#page.postState(),
    });
    this.#page = new Page(frame, {
      messages: fromChatPage,
      state: () => {
        session.flushDeltas();
        const state = { chat: session.id, draft: session.unsent.text, ...this.#updates.resetToState() };
        return { type: 'state', state };
      },
      handle: (message) => messages.handle(message),
    });
    const noteChange = () => this.#updates.noteChange();
    this.#page.addDisposables(
      this.#updates,
      this.#completions,
      this.#checks,
      this.#checks.onDidCheck(noteChange),
      this.prompts,
      this.prompts.onDidChange(noteChange),
      session.onDidChange((event) => this.#handleEvent(event)),
      session.unsent.attachments.onDidChange(noteChange),
      session.unsent.context.onDidChange(noteChange),
      session.unsent.queue.onDidChange(noteChange),
      session.target.parameters.onDidChange(noteChange),
      this.panel.onDidChangeViewState(() => this.#updateContextKeys()),
    );
    this.panel.onDidDispose(() => this.#handleClose());
    this.#showTitle();
    this.#updateContextKeys();
  }

  /** Reveals the chat and performs `action` once the page is ready. */
  perform(action: PageAction): void {
    revealTab(this.panel);
    this.#updates.flush();
    this.#page.postOnceReady({ type: 'perform', action });
  }

  /**
   * Shows a message on its own branch, and marks it once the page is ready.
   *
   * @param words the words to mark in the message
   * @returns false if the message cannot be shown because a reply arrives on another branch
   */
  showMessage(messageId: string, words: readonly string[] = []): boolean {
    revealTab(this.panel);
    this.session.show(messageId);
    this.#updates.flush();
    const turnId = findShownTurn(this.session.conversation, messageId);
    if (turnId !== undefined) this.#page.postOnceReady({ type: 'reveal', turnId, words });
    return turnId !== undefined;
  }

  /** Posts a message, after the pending changes of the state. */
  #post(message: Unnumbered<ToChatPage>): void {
    this.#updates.flush();
    this.#page.post(message);
  }

  #handleEvent(event: SessionEvent): void {
    switch (event.type) {
      case 'deltas':
        for (const delta of event.deltas) this.#post({ type: 'delta', turnId: event.turnId, ...delta });
        break;
      case 'unsent':
        this.#post({ type: 'unsent', text: event.text });
        break;
      case 'turn':
        this.#updates.noteTurnChange(event.turnId);
        break;
      case 'path':
        this.#updates.notePathChange(event.unchangedTurns);
        this.#updateContextKeys();
        break;
      case 'title':
      case 'deleted':
      case 'streaming':
        this.#showTitle();
        this.#updateContextKeys();
        this.#updates.noteChange();
        break;
      case 'target':
        this.#updates.noteChange();
        break;
      default:
        event satisfies never;
    }
  }

  #showTitle(): void {
    renameTab(this.panel, formatChatTitle(this.session));
  }

  /** Updates the context keys of commands and key bindings for the active chat. */
  #updateContextKeys(): void {
    if (!this.panel.active) return;
    ChatPanel.#contextKeyChat = this;
    setContextKey('chatStreaming', this.session.isStreaming);
    setContextKey('chatComparing', this.session.conversation.comparison.isShown);
  }

  #handleClose(): void {
    if (ChatPanel.#contextKeyChat === this) {
      for (const key of ['chatStreaming', 'chatComparing'] as const) setContextKey(key, false);
    }
    // An arriving reply costs money, so it continues. A queued question is not sent: the user would not see its reply.
    if (!this.session.isStreaming) this.session.stop();
    this.session.unsent.putBackQueued();
    this.#tabs.handleClosed(this.session);
  }
}

/** Finds the id of the turn of a message on the shown path; undefined if the message is on another branch. */
function findShownTurn(conversation: Conversation, messageId: string): string | undefined {
  const turns = new Set(conversation.turns.map(({ id }) => id));
  let turn: string | undefined;
  for (let id = conversation.tree.head; id !== undefined; id = conversation.tree.parent(id)) {
    if (turns.has(id)) turn = id;
    if (id === messageId) return turn;
  }
  return undefined;
}
