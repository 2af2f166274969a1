import { html, nothing, type TemplateResult } from 'lit';
import type {
  ChatState,
  ChatTarget,
  FromChatPage,
  ImageView,
  QueuedQuestion,
  ToChatPage,
  Turn,
} from '../../protocol/chatPage.ts';
import type { ParameterValues } from '../../protocol/pageMessage.ts';
import type { Host } from '../host.ts';
import '../form/parametersElement.ts';
import { prepareGrammars } from '../markdown/codeBlock.ts';
import { openCodeMenu } from '../markdown/codeMenu.ts';
import { leaveFootnote, openFootnote } from '../markdown/footnotes.ts';
import { listenForActions } from '../parts/actions.ts';
import { LightElement, state } from '../parts/lightElement.ts';
import { noticeView } from '../parts/notice.ts';
import { piecesOf } from '../parts/pieces.ts';
import { Sequence } from '../parts/sequence.ts';
import { chatMessageOf } from './actions.ts';
import { Composer, maxTextLength } from './composer.ts';
import { FileMentions } from './fileMentions.ts';
import { Follower } from './follower.ts';
import { headerView } from './header.ts';
import { queuedView } from './queued.ts';
import { TurnList } from './turnList.ts';
import { welcomeView } from './welcome.ts';

/** The state that the page stores itself. */
interface Draft {
  readonly draft: string;
}

const nowhere: ChatTarget = { gateway: undefined, model: undefined, format: '', parametersSet: 0 };

/** `<mg-chat>`: one chat. Shows the host's state, and sends the user's actions to the host. */
class ChatPage extends LightElement.with({
  target: state<ChatTarget>(nowhere),
  ready: state(false),
  following: state(true),
  announcement: state(''),
  /** The content of the parameters sheet while it is open. */
  parameters: state<Extract<ToChatPage, { type: 'parameters' }> | undefined>(),
  request: state<Extract<ToChatPage, { type: 'request' }> | undefined>(),
  attachments: state<readonly ImageView[]>([]),
  queued: state<QueuedQuestion | undefined>(),
}) {
  #host: Host<ToChatPage, FromChatPage, Draft> | undefined;
  readonly #sequence = new Sequence(() => this.#post({ type: 'ready' }));
  readonly #turns = new TurnList(() => this.following);
  readonly #files = new FileMentions(this, (message) => this.#post(message));
  #follower: Follower | undefined;

  /** Connects to the host, which answers `ready` with the whole state. */
  connect(host: Host<ToChatPage, FromChatPage, Draft>): void {
    this.#host = host;
    host.onMessage((message) => this.#receive(message));
    listenForActions<FromChatPage>(this, {
      local: {
        jump: () => this.#follower?.follow(),
        'open-code-menu': openCodeMenu,
        'wrap-code': () => this.#toggleWrap(),
        'open-footnote': openFootnote,
        'leave-footnote': leaveFootnote,
        'ask-example': ({ textContent }) => this.#send(textContent),
      },
      messageOf: chatMessageOf,
      post: (message) => this.#post(message),
      announce: (words) => {
        this.announcement = words;
      },
    });
    window.addEventListener('keydown', (event) => this.#onKey(event));
    this.addEventListener('waited', (event) => {
      this.announcement = event.detail;
    });
    this.addEventListener('painted', ({ target }) => {
      if (target instanceof Element) this.#files.read(target);
    });
    this.addEventListener('dragover', (event) => event.preventDefault());
    this.addEventListener('drop', (event) => this.#onDrop(event));
    host.post({ type: 'ready' });
  }

  get #streaming(): boolean {
    return this.#turns.length > 0 && this.#turns.last?.turn.state !== 'done';
  }

  protected override firstUpdated(): void {
    prepareGrammars();
    const scroller = this.querySelector<HTMLElement>('.turns');
    const content = this.querySelector<HTMLElement>('.turns-content');
    if (!scroller || !content) return;
    const hasEnd = () => this.#turns.length > 0;
    this.#follower = new Follower(scroller, content, hasEnd, (following) => {
      this.following = following;
    });
  }

  protected override render(): TemplateResult {
    return html`
      ${headerView(this.target, this.#turns.length === 0)}
      <main class="turns" tabindex="-1">
        <div class="turns-content">
          ${this.#turns.element}
          ${this.ready && this.#turns.length === 0 ? welcomeView(this.target) : nothing}
        </div>
      </main>
      <footer>
        ${this.following ? nothing : this.#jumpButton()}
        ${this.#turns.length > 0 ? this.#targetNotice() : nothing}
        ${this.queued ? queuedView(this.queued) : nothing}
        <mg-composer
          .streaming=${this.#streaming}
          .model=${this.target.model}
          .draft=${this.#host?.getState()?.draft ?? ''}
          .attachments=${this.attachments}
          .lastQuestion=${this.#turns.last?.turn.question ?? ''}
          @send=${(event: CustomEvent<string>) => this.#send(event.detail)}
          @draft=${(event: CustomEvent<string>) => this.#keepDraft(event.detail)}
          @pictures=${(event: CustomEvent<readonly File[]>) => this.#attach(event.detail)}
          @stop=${() => this.#post({ type: 'stop' })}
        ></mg-composer>
      </footer>
      ${this.parameters ? this.#parametersSheet(this.parameters) : nothing}
      <div class="visually-hidden" role="status">${this.announcement}</div>
    `;
  }

  #parametersSheet({ schema, values }: Extract<ToChatPage, { type: 'parameters' }>): TemplateResult {
    return html`
      <mg-parameters
        .schema=${schema}
        .values=${values}
        .requestJson=${this.request?.json ?? ''}
        .omitted=${this.request?.omitted ?? []}
        @change=${(event: CustomEvent<ParameterValues>) => this.#setParameters(event)}
        @preview=${() => this.#post({ type: 'preview-request', text: this.#composer?.text ?? '' })}
        @copy-request=${() => this.#post({ type: 'copy-request', text: this.#composer?.text ?? '' })}
        @close=${() => {
          this.parameters = undefined;
        }}
      ></mg-parameters>
    `;
  }

  /** Returns the form its own values, so that it keeps unfinished input. */
  #setParameters({ detail: values }: CustomEvent<ParameterValues>): void {
    if (this.parameters) this.parameters = { ...this.parameters, values };
    this.#post({ type: 'set-parameters', values });
  }

  #targetNotice(): TemplateResult | typeof nothing {
    return this.target.notice ? noticeView(this.target.notice) : nothing;
  }

  #jumpButton(): TemplateResult {
    return html`
      <button type="button" class="jump" data-action="jump">
        <span class="codicon codicon-arrow-down" aria-hidden="true"></span> Jump to End
      </button>
    `;
  }

  #receive(message: ToChatPage): void {
    if (!this.#sequence.accepts(message)) return;
    if (message.type === 'state') this.#paint(message.state);
    else this.#apply(message);
  }

  #apply(message: Exclude<ToChatPage, { type: 'state' }>): void {
    if (message.type === 'turn') this.#showTurn(message.turn);
    else if (message.type === 'delta') {
      if (this.#turns.applyDelta(message.turnId, message)) this.requestUpdate();
    } else if (message.type === 'target') this.#showTarget(message.target);
    else if (message.type === 'parameters') this.parameters = message;
    else if (message.type === 'request') this.request = message;
    else if (message.type === 'attachments') this.attachments = message.attachments;
    else if (message.type === 'left-out') this.#turns.showLeftOut(message.turnIds);
    else if (message.type === 'queued') this.#showQueued(message.queued);
    else if (message.type === 'files') this.#files.show(message.existing);
    else if (message.type === 'unsent') this.#composer?.giveBack(message.text);
    else void this.#perform(message.action);
  }

  #paint(state: ChatState): void {
    this.#turns.show(state.turns, state.leftOut);
    this.target = state.target;
    this.attachments = state.attachments;
    this.queued = state.queued;
    this.classList.toggle('wrap-code', state.wrapsCode === true);
    this.ready = true;
    this.requestUpdate();
  }

  /** Another format has other parameters. */
  #showTarget(target: ChatTarget): void {
    if (this.parameters && target.format !== this.target.format) this.#post({ type: 'open-parameters' });
    const { notice } = target;
    if (notice && notice.title !== this.target.notice?.title) this.announcement = notice.title;
    this.target = target;
  }

  #showTurn(turn: Turn): void {
    const isAsked = this.#turns.put(turn);
    this.requestUpdate();
    if (isAsked) this.#follower?.follow();
    if (turn.state === 'done') this.announcement = turn.notice?.title ?? 'Reply complete';
    else if (isAsked) this.announcement = 'Waiting for the reply';
  }

  /** Closes an open sheet first, because nothing behind it can have the focus. */
  async #perform(action: 'focus-composer' | 'focus-last-reply'): Promise<void> {
    this.parameters = undefined;
    await this.updateComplete;
    if (action === 'focus-composer') this.#composer?.focusText();
    else this.#turns.focusLastReply();
  }

  #showQueued(queued: QueuedQuestion | undefined): void {
    if (queued) this.announcement = 'Queued. It is sent when this reply is complete.';
    this.queued = queued;
  }

  /** The host keeps the draft beyond the tab, the page until it is shown again. */
  #keepDraft(draft: string): void {
    this.#host?.setState({ draft });
    if (draft.length <= maxTextLength) this.#post({ type: 'draft', text: draft });
  }

  /** Wraps long lines of code in all replies, or lets them scroll. */
  #toggleWrap(): void {
    this.#post({ type: 'wrap-code', on: this.classList.toggle('wrap-code') });
  }

  #send(text: string): void {
    this.#post({ type: 'send', text });
  }

  get #composer(): Composer | undefined {
    const composer = this.querySelector('mg-composer');
    return composer instanceof Composer ? composer : undefined;
  }

  #onDrop(event: DragEvent): void {
    event.preventDefault();
    this.#attach([...(event.dataTransfer?.files ?? [])]);
  }

  async #attach(files: readonly File[]): Promise<void> {
    for (const file of files) {
      for await (const piece of piecesOf(file)) this.#post({ type: 'attach-piece', ...piece });
    }
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key === 'Escape' && !event.isComposing && this.#streaming) this.#post({ type: 'stop' });
    const link = event.target instanceof HTMLElement && event.target.matches('.link');
    if (event.key === 'Enter' && link) event.target.click();
  }

  #post(message: FromChatPage): void {
    this.#host?.post(message);
  }
}

customElements.define('mg-chat', ChatPage);

declare global {
  interface HTMLElementTagNameMap {
    'mg-chat': ChatPage;
  }
}
