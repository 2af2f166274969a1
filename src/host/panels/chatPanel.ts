import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { ChatResult } from '../../client/gatewayClient.ts';
import { Conversation, type Turn } from '../../conversations/conversation.ts';
import { visibleText } from '../../conversations/visibleText.ts';
import type {
  ChatState,
  ChatTarget,
  FromChatPage,
  ReplyAction,
  ToChatPage,
} from '../../protocol/chatPage.ts';
import { asGatewayError, type Connection } from '../connection.ts';
import { runCommand, setContextKey } from '../contributions.ts';
import { actionCommand } from '../failureActions.ts';
import type { Log } from '../log.ts';
import type { ModelMemory } from '../modelMemory.ts';
import { chatHtml } from './chatHtml.ts';
import { targetNotice, turnView } from './chatView.ts';
import { ReplyStream } from './replyStream.ts';

type PageAction = 'focus-composer' | 'focus-last-reply';
type Unnumbered<M> = M extends unknown ? Omit<M, 'seq'> : never;

const longestTitle = 40;

/**
 * One chat in an editor tab. The conversation here is the truth; the page is painted from it and may be
 * hidden, reloaded or closed at any moment. Each panel has its own conversation and its own request, so
 * several chats never mix.
 */
export class ChatPanel {
  readonly panel: vscode.WebviewPanel;
  readonly conversation = new Conversation();
  readonly #connection: Connection;
  readonly #models: ModelMemory;
  readonly #log: Log;
  readonly #channel = randomBytes(16).toString('base64url');
  readonly #subscriptions: vscode.Disposable[];
  #model: string | undefined;
  #seq = 0;
  #request: AbortController | undefined;
  #disposed = false;
  /** Whether a page listens: a hidden one is gone, and one that was shown again says `ready` anew. */
  #pageIsThere = false;
  #waiting: PageAction | undefined;

  constructor(
    panel: vscode.WebviewPanel,
    dist: vscode.Uri,
    connection: Connection,
    models: ModelMemory,
    log: Log,
    model: string | undefined,
  ) {
    this.panel = panel;
    this.#connection = connection;
    this.#models = models;
    this.#log = log;
    this.#model = model;
    this.#subscriptions = [
      panel.webview.onDidReceiveMessage((message: unknown) => this.#receive(message)),
      panel.onDidChangeViewState(() => this.#viewChanged()),
      connection.onDidChange(() => this.#showTarget()),
    ];
    panel.onDidDispose(() => this.#dispose());
    panel.webview.html = chatHtml(panel.webview, dist, this.#channel);
  }

  get model(): string | undefined {
    const { models } = this.#connection.state;
    return this.#model ?? this.#models.suggest(this.#connection.state.profile, models);
  }

  get isStreaming(): boolean {
    return this.#request !== undefined;
  }

  chooseModel(model: string): void {
    this.#model = model;
    void this.#models.remember(this.#connection.state.profile, model);
    this.#showTarget();
  }

  /** Asks the chosen model; the returned promise settles when the reply has ended, however it did. */
  async ask(question: string): Promise<void> {
    const { model } = this;
    if (this.isStreaming || question.trim() === '') return;
    if (model === undefined) return this.#showTarget();
    await this.#run(this.conversation.ask(question, model));
  }

  /** Asks the question of a turn again, of the last one by default. */
  async again(turnId = this.conversation.last?.id): Promise<void> {
    if (this.isStreaming || turnId === undefined || this.model === undefined) return;
    const turn = this.conversation.askAgain(turnId, this.model);
    if (turn) await this.#run(turn);
  }

  /** Ends the reply at once; what arrived is kept. */
  stop(): void {
    this.#request?.abort();
  }

  clear(): void {
    this.stop();
    this.conversation.clear();
    this.#showTitle();
    this.#paint();
  }

  /** Brings the chat to the front and acts there, once the page is there to act. */
  perform(action: PageAction): void {
    this.panel.reveal();
    if (this.#pageIsThere) this.#post({ type: 'perform', action });
    else this.#waiting = action;
  }

  async #run(turn: Turn): Promise<void> {
    const request = new AbortController();
    this.#request = request;
    this.#showTitle();
    this.#showStreaming();
    this.#showTurn(turn.id);
    const stream = new ReplyStream((text, reasoning, other) => {
      if (other) this.#showTurn(turn.id);
      else this.#post({ type: 'delta', turnId: turn.id, text, reasoning });
    });
    const result = await this.#chat(turn, stream, request.signal);
    stream.flush();
    this.#request = undefined;
    this.conversation.finish(turn.id, result);
    this.#showTurn(turn.id);
    this.#showStreaming();
    this.#logResult(turn.model, result);
  }

  async #chat(turn: Turn, stream: ReplyStream, signal: AbortSignal): Promise<ChatResult> {
    const started = performance.now();
    try {
      const client = await this.#connection.client();
      return await client.chat(
        {
          model: turn.model,
          messages: [...this.conversation.messagesFor(turn.id)],
          stream: true,
          stream_options: { include_usage: true },
        },
        (events) => {
          this.conversation.apply(turn.id, events);
          stream.add(events);
        },
        { signal },
      );
    } catch (error) {
      const failure = asGatewayError(error, this.#connection.state.profile);
      return {
        outcome: { kind: 'failed', error: failure },
        requestId: failure.requestId,
        requestedAt: failure.requestedAt,
        totalMs: performance.now() - started,
      };
    }
  }

  async #receive(received: unknown): Promise<void> {
    const { readPageMessage } = await import('./chatPageMessages.ts');
    const message = readPageMessage(received, this.#channel);
    if (message === undefined) return this.#log.warn('page', 'dropped a message the chat page may not send');
    await this.#handle(message);
  }

  async #handle(message: FromChatPage): Promise<void> {
    switch (message.type) {
      case 'ready':
        return this.#welcomePage();
      case 'send':
        return this.ask(message.text);
      case 'stop':
        return this.stop();
      case 'copy-reply':
        return this.#copy(visibleText(this.conversation.turn(message.turnId)?.text ?? ''));
      case 'copy-code':
        return this.#copy(message.text);
      case 'copy-request-id':
        return this.#copy(this.conversation.turn(message.turnId)?.result?.requestId);
      case 'open-link':
        return openLink(message.url);
      case 'action':
        return this.#act(message.action, message.turnId);
    }
  }

  async #act(action: ReplyAction, turnId: string | undefined): Promise<void> {
    switch (action) {
      case 'again':
        return this.again(turnId);
      case 'continue':
        return this.ask(vscode.l10n.t('Continue exactly where you stopped.'));
      case 'connect':
        await runCommand('connect');
        return;
      case 'use-demo-gateway':
        await runCommand('useDemoGateway');
        return;
      default:
        await runCommand(actionCommand(action));
    }
  }

  async #copy(text: string | undefined): Promise<void> {
    if (text) await vscode.env.clipboard.writeText(text);
  }

  #welcomePage(): void {
    this.#pageIsThere = true;
    this.#paint();
    if (this.#waiting) this.#post({ type: 'perform', action: this.#waiting });
    this.#waiting = undefined;
  }

  #viewChanged(): void {
    if (!this.panel.visible) this.#pageIsThere = false;
    this.#showStreaming();
  }

  #paint(): void {
    const state: ChatState = { turns: this.conversation.turns.map(turnView), target: this.#target() };
    this.#post({ type: 'state', state });
  }

  #showTurn(id: string): void {
    const turn = this.conversation.turn(id);
    if (turn) this.#post({ type: 'turn', turn: turnView(turn) });
  }

  #showTarget(): void {
    this.#post({ type: 'target', target: this.#target() });
  }

  #target(): ChatTarget {
    const { state } = this.#connection;
    const notice = targetNotice(state);
    return { profile: state.profile?.name, model: this.model, ...(notice && { notice }) };
  }

  #showTitle(): void {
    const question = this.conversation.turns[0]?.question.trim().split('\n')[0];
    if (!question) this.panel.title = vscode.l10n.t('New chat');
    else this.panel.title = question.length > longestTitle ? `${question.slice(0, longestTitle)}…` : question;
  }

  #showStreaming(): void {
    if (!this.#disposed && this.panel.active) setContextKey('chatStreaming', this.isStreaming);
  }

  #post(message: Unnumbered<ToChatPage>): void {
    if (this.#disposed) return;
    this.#seq += 1;
    void this.panel.webview.postMessage({ ...message, seq: this.#seq });
  }

  #logResult(model: string, { outcome, requestId, totalMs }: ChatResult): void {
    const cause = 'error' in outcome ? `: ${outcome.error.kind}: ${outcome.error.message}` : '';
    const line = `${model} ${outcome.kind} after ${Math.round(totalMs)} ms, request id ${requestId}${cause}`;
    if (cause) this.#log.warn('chat', line);
    else this.#log.info('chat', line);
  }

  #dispose(): void {
    this.#disposed = true;
    this.stop();
    for (const subscription of this.#subscriptions) subscription.dispose();
  }
}

/** Opens a link of a reply once the user has seen its whole address; only web and mail links open (T9, T11). */
async function openLink(url: string): Promise<void> {
  if (!URL.canParse(url) || !['http:', 'https:', 'mailto:'].includes(new URL(url).protocol)) return;
  const open = vscode.l10n.t('Open');
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t('Open this address from a model’s reply?'),
    { modal: true, detail: new URL(url).href },
    open,
  );
  if (chosen === open) await vscode.env.openExternal(vscode.Uri.parse(url, true));
}
