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
import type { SystemPromptView } from '../../protocol/parameters.ts';
import type { Host } from '../host.ts';
import { prepareGrammars } from '../markdown/codeBlock.ts';
import { openCodeMenu } from '../markdown/codeMenu.ts';
import { leaveFootnote, openFootnote } from '../markdown/footnotes.ts';
import { listenForActions } from '../parts/actions.ts';
import { LightElement, state } from '../parts/lightElement.ts';
import { noticeView } from '../parts/notice.ts';
import { piecesOf } from '../parts/pieces.ts';
import { Sequence } from '../parts/sequence.ts';
import { chatMessageOf, leadsToComposer } from './actions.ts';
import { Composer, maxTextLength } from './composer.ts';
import { FileMentions } from './fileMentions.ts';
import { Follower } from './follower.ts';
import { headerView } from './header.ts';
import { parametersSheet } from './parametersSheet.ts';
import { queuedView } from './queued.ts';
import { SystemPromptElement } from './systemPrompt.ts';
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
  systemPrompt: state<SystemPromptView>({ text: '', isNew: false }),
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
        'open-parameters': () => this.#toggleParameters(),
        'ask-example': ({ textContent }) => this.#send(textContent),
      },
      messageOf: chatMessageOf,
      post: (message) => this.#post(message),
      performed: (action) => {
        if (leadsToComposer(action)) this.#composer?.focusText();
      },
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
      ${headerView(this.target, this.#turns.length === 0, this.parameters !== undefined)}
      <main class="turns" tabindex="-1">
        <div class="turns-content">
          ${this.ready ? this.#systemPromptView() : nothing}
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

  #systemPromptView(): TemplateResult {
    return html`
      <mg-system-prompt
        .prompt=${this.systemPrompt}
        @system-prompt=${({ detail: text }: CustomEvent<string>) => this.#post({ type: 'set-system-prompt', text })}
      ></mg-system-prompt>
    `;
  }

  /** Returns the form its own values, so that it keeps unfinished input. */
  #parametersSheet(view: Extract<ToChatPage, { type: 'parameters' }>): TemplateResult {
    return parametersSheet(view, this.request, {
      onChange: (values) => {
        this.parameters = { ...view, values };
        this.#post({ type: 'set-parameters', values });
      },
      onCommonChange: (change) => this.#post({ type: 'set-common-parameter', ...change }),
      onTool: (action) => this.#post({ type: 'parameters-action', action }),
      onPreview: () => this.#preview(),
      onCopy: () => this.#post({ type: 'copy-request', text: this.#composer?.text ?? '' }),
      onClose: () => {
        this.parameters = undefined;
      },
    });
  }

  #toggleParameters(): void {
    if (this.parameters) this.parameters = undefined;
    else this.#post({ type: 'open-parameters' });
  }

  /** Shows the request as it would be sent now, where it is looked at. */
  #refreshPreview(): void {
    const sheet = this.querySelector('mg-parameters');
    if (sheet?.tab === 'request') this.#preview();
  }

  #preview(): void {
    this.#post({ type: 'preview-request', text: this.#composer?.text ?? '' });
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
    if (changesRequest(message)) this.#refreshPreview();
  }

  #apply(message: Exclude<ToChatPage, { type: 'state' }>): void {
    if (message.type === 'turn') this.#showTurn(message.turn);
    else if (message.type === 'delta') {
      if (this.#turns.applyDelta(message.turnId, message)) this.requestUpdate();
    } else if (message.type === 'target') this.#showTarget(message.target);
    else if (message.type === 'parameters') this.parameters = message;
    else if (message.type === 'parameters-kept') this.#showKept(message);
    else if (message.type === 'parameters-changed') this.#askForParameters();
    else if (message.type === 'system-prompt') this.systemPrompt = message.prompt;
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
    this.systemPrompt = state.systemPrompt;
    this.ready = true;
    this.requestUpdate();
  }

  #showKept({ defaults, wasReset }: Extract<ToChatPage, { type: 'parameters-kept' }>): void {
    if (this.parameters) this.parameters = { ...this.parameters, defaults, wasReset };
  }

  #askForParameters(): void {
    if (this.parameters) this.#post({ type: 'open-parameters' });
  }

  /** Another format or model has other parameters. */
  #showTarget(target: ChatTarget): void {
    const { format, model } = this.target;
    if (target.format !== format || target.model !== model) this.#askForParameters();
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

  async #perform(action: Extract<ToChatPage, { type: 'perform' }>['action']): Promise<void> {
    await this.updateComplete;
    if (action === 'focus-composer') this.#composer?.focusText();
    else if (action === 'focus-last-reply') this.#turns.focusLastReply();
    else await this.#systemPromptElement?.edit();
  }

  #showQueued(queued: QueuedQuestion | undefined): void {
    if (queued) this.announcement = 'Queued. It is sent when this reply is complete.';
    this.queued = queued;
  }

  /** The host keeps the draft beyond the tab, the page until it is shown again. */
  #keepDraft(draft: string): void {
    this.#host?.setState({ draft });
    if (draft.length <= maxTextLength) this.#post({ type: 'draft', text: draft });
    this.#refreshPreview();
  }

  /** Wraps long lines of code in all replies, or lets them scroll. */
  #toggleWrap(): void {
    this.#post({ type: 'wrap-code', on: this.classList.toggle('wrap-code') });
  }

  #send(text: string): void {
    this.#systemPromptElement?.fold();
    this.#post({ type: 'send', text });
  }

  get #systemPromptElement(): SystemPromptElement | undefined {
    const element = this.querySelector('mg-system-prompt');
    return element instanceof SystemPromptElement ? element : undefined;
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

/** Whether the request of the next question may be another one after a message. */
function changesRequest(message: ToChatPage): boolean {
  switch (message.type) {
    case 'turn':
      return message.turn.state === 'done';
    case 'state':
    case 'target':
    case 'attachments':
      return true;
    default:
      return false;
  }
}

customElements.define('mg-chat', ChatPage);

declare global {
  interface HTMLElementTagNameMap {
    'mg-chat': ChatPage;
  }
}
