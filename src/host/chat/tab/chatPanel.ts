import * as vscode from 'vscode';
import type { AnswerChecker } from '../../../conversations/answerCheck/answerChecker.ts';
import { textOf } from '../../../conversations/reply.ts';
import { shownTurnOf } from '../../../conversations/shownTurn.ts';
import type { Turn } from '../../../conversations/turn.ts';
import {
  type ChatState,
  type FromChatPage,
  fromChatPage,
  type ToChatPage,
} from '../../../protocol/chatPage.ts';
import type { ReplyAction } from '../../../protocol/pageMessage.ts';
import { AnswerChecks } from '../../answerSchema/answerChecks.ts';
import type { ContextTools } from '../../context/contextTools.ts';
import { contextViews } from '../../context/contextView.ts';
import { runCommand, setContextKey } from '../../contributions.ts';
import { visibleText } from '../../display/plainText.ts';
import { renameTab } from '../../display/tabs.ts';
import { explanationWords } from '../../explanationWords.ts';
import { runAction } from '../../noticeActions.ts';
import { Page, type PageFrame, type WithoutReady } from '../../pages/page.ts';
import { ChatParametersPage } from '../../parameters/chatParametersPage.ts';
import type { ChangedBy } from '../../parameters/chosenParameters.ts';
import { PromptForm } from '../../prompts/promptForm.ts';
import type { PromptMemory } from '../../prompts/promptMemory.ts';
import type { ReplyTools } from '../../replies/replyTools.ts';
import type { ChatSession } from '../chatSession.ts';
import { deleteMessage, undoDelete } from '../commands/deleting.ts';
import type { CompletionProvider } from '../completion/completionProvider.ts';
import { Completions } from '../completion/completions.ts';
import type { SessionEvent } from '../sessionEvent.ts';
import { attachmentViews, chatState, chatTarget, deletedView, queuedView } from '../view/chatState.ts';
import { leftOut, viewOfTurn } from '../view/chatView.ts';
import { chatTitle } from './chatTitle.ts';
import { EarlierTurns } from './earlierTurns.ts';
import { openLink } from './openLink.ts';
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
  readonly #context: ContextTools;
  readonly #shown = new ShownTurns();

  constructor(frame: PageFrame, session: ChatSession, tabs: ChatTabs, tools: ChatTools) {
    this.panel = frame.panel;
    this.session = session;
    this.#tabs = tabs;
    this.#tools = tools.replies;
    this.#context = tools.context;
    this.#parameters = new ChatParametersPage(session);
    this.#checks = new AnswerChecks(session, tools.answerChecker);
    this.prompts = new PromptForm(session, tools.promptMemory);
    this.#page = new Page(frame, {
      messages: fromChatPage,
      state: () => ({ type: 'state', state: this.#state() }),
      handle: (message) => this.#handle(message),
    });
    this.#completions = new Completions(tools.completions, session, (completions) =>
      this.#page.post({ type: 'completions', ...completions }),
    );
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
    this.panel.reveal();
    this.#page.postOnceReady({ type: 'perform', action });
  }

  /**
   * Shows a message on its own branch, and marks it once the page is ready.
   *
   * @param words what to mark in it
   * @returns whether it could be shown: no branch is left while its reply arrives
   */
  showMessage(messageId: string, words: readonly string[] = []): boolean {
    this.panel.reveal();
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
      if (event.type === 'replaced') this.#page.show();
    }
  }

  async #handle(message: WithoutReady<FromChatPage>): Promise<void> {
    const { session } = this;
    const { attachments, queue } = session.unsent;
    switch (message.type) {
      case 'send':
        return session.ask(message.text);
      case 'stop':
        return session.stop(message.turnId);
      case 'draft':
        return session.write(message.text);
      case 'edit-queued':
        return session.unsent.giveBackQueued();
      case 'remove-queued':
        queue.take();
        return;
      case 'copy-reply':
        return copy(this.#replyText(message.turnId, message.choice));
      case 'edit-question':
        return session.editQuestion(message.turnId, message.text);
      case 'edit-answer':
        return session.editAnswer(message.turnId, message.text);
      case 'show-branch':
        return session.show(message.messageId);
      case 'delete-message':
        return this.#delete(message);
      case 'undo-delete':
        return undoDelete(session);
      case 'dismiss-deleted':
        return session.dismissDeleted();
      case 'go-on-with':
        session.comparing.goOnWith(message.turnId);
        return this.perform('focus-composer');
      case 'close-column':
        return session.comparing.close(message.turnId);
      case 'compare-branches':
        return session.comparing.resume(message.turnId);
      case 'compare-answer':
      case 'open-differences':
        await runCommand(
          `chat.${message.type === 'compare-answer' ? 'compareAnswer' : 'openDifferences'}`,
          message.turnId,
        );
        return;
      case 'fork':
        return this.#fork(message.turnId);
      case 'copy-code':
        return copy(message.text);
      case 'copy-request-id':
        return copy(this.#turn(message.turnId)?.result?.requestId);
      case 'copy-gateway-request-id':
        return copy(this.#turn(message.turnId)?.result?.gatewayRequestId);
      case 'add-context':
      case 'remove-context':
      case 'open-context':
      case 'drop-files':
      case 'drop-text':
      case 'open-asked-file':
      case 'apply-code':
        return this.#context.handle(message, session);
      case 'attach-piece':
        return attachments.receive(message);
      case 'detach':
        return attachments.remove(message.index);
      case 'open-parameters':
        return this.#showParameters();
      case 'set-parameters':
      case 'set-common-parameter':
      case 'set-system-prompt':
      case 'parameters-action':
        return this.#parameters.change(message);
      case 'preview-request':
        return this.#showRequest(message.text);
      case 'copy-request':
        return copy(requestJson((await session.preview(message.text))?.body ?? {}));
      case 'open-link':
        return openLink(message.url);
      case 'complete':
      case 'accept-completion':
        return this.#completions.handle(message);
      case 'open-fault':
        return this.#checks.open(message.turnId, message.index);
      case 'fill-prompt':
      case 'close-prompt':
        return this.prompts.handle(message);
      case 'find-files':
        return this.#showFiles(message.references);
      case 'wrap-code':
        return this.#tools.setWrapsCode(message.on);
      case 'insert-code':
      case 'new-file':
      case 'put-into-terminal':
      case 'open-file':
        return this.#tools.handle(message);
      case 'action':
        return this.#act(message.action, message.turnId);
      default:
        return message satisfies never;
    }
  }

  async #act(action: ReplyAction, turnId: string | undefined): Promise<void> {
    switch (action) {
      case 'again':
        return this.session.again(turnId);
      case 'edit':
        return this.#edit(turnId);
      case 'ask-one-model':
        return this.session.target.compare([]);
      case 'continue':
        return this.session.continueAnswer(turnId);
      case 'set-credential':
      case 'change-address':
        await runCommand(
          action === 'set-credential' ? 'setCredential' : 'changeAddress',
          this.session.target.gateway.now?.gateway.name,
        );
        return;
      case 'refresh-models':
        await this.session.target.gateway.now?.refresh();
        return;
      default:
        await runAction(action);
    }
  }

  /** Opens a chat of its own with what was said up to a turn. */
  async #fork(turnId: string): Promise<void> {
    const session = this.session.forkAfter(turnId);
    if (session) (await this.#tabs.open(session)).perform('focus-composer');
  }

  #delete({ turnId, of }: FromChatPage & { readonly type: 'delete-message' }): void {
    const turn = this.#turn(turnId);
    if (turn) deleteMessage(this.session, of === 'question' ? turn.questionId : turn.answerId);
  }

  #edit(turnId: string | undefined): void {
    const turn = turnId === undefined ? undefined : this.#turn(turnId);
    if (turn) this.session.unsent.giveBack(turn.question);
  }

  async #showParameters(): Promise<void> {
    this.#page.post({ type: 'parameters', ...(await this.#parameters.view()) });
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

  async #showRequest(text: string): Promise<void> {
    const { body = {}, omitted = [] } = (await this.session.preview(text)) ?? {};
    this.#page.post({ type: 'request', json: requestJson(body), omitted: omitted.map(explanationWords) });
  }

  async #showFiles(references: readonly string[]): Promise<void> {
    this.#page.post({ type: 'files', existing: await this.#tools.existing(references) });
  }

  #turn(id: string): Turn | undefined {
    return this.session.conversation.turn(id);
  }

  #replyText(turnId: string, choice: number): string | undefined {
    const reply = this.#turn(turnId)?.replies[choice];
    return reply && visibleText(textOf(reply));
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
    setContextKey('chatCleared', this.session.canUndoClear);
  }

  #close(): void {
    if (ChatPanel.#told === this) {
      for (const key of ['chatStreaming', 'chatComparing', 'chatCleared'] as const) setContextKey(key, false);
    }
    this.session.stop();
    this.#tabs.closed(this.session);
  }
}

function requestJson(body: object): string {
  return JSON.stringify(body, null, 2);
}

async function copy(text: string | undefined): Promise<void> {
  if (text) await vscode.env.clipboard.writeText(text);
}
