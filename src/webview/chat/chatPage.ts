import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { ChatState, ChatTarget, ReplyAction, ToChatPage, Turn } from '../../protocol/chatPage.ts';
import type { Host, Message } from '../host.ts';
import { prepareGrammars } from '../markdown/codeBlock.ts';
import { Composer } from './composer.ts';
import { Follower } from './follower.ts';
import { LightElement } from './lightElement.ts';
import { noticeView } from './notice.ts';
import { TurnElement } from './turn.ts';

const examples = [
  'Explain what a model gateway does, in three sentences.',
  'Write a TypeScript function that retries a request with backoff, and explain it.',
  'Compare streaming and waiting for a whole reply, as a table.',
];

const nowhere: ChatTarget = { profile: undefined, model: undefined };

/** `<mg-chat>`: one chat. Paints what the host says, and tells the host what the user does. */
export class ChatPage extends LightElement {
  static override properties = {
    turns: { state: true },
    target: { state: true },
    ready: { state: true },
    following: { state: true },
    announcement: { state: true },
  };

  declare turns: readonly Turn[];
  declare target: ChatTarget;
  declare ready: boolean;
  declare following: boolean;
  declare announcement: string;
  #host: Host | undefined;
  /** The number of the last message; undefined while a snapshot is awaited. */
  #seq: number | undefined;
  #follower: Follower | undefined;

  constructor() {
    super();
    this.turns = [];
    this.target = nowhere;
    this.ready = false;
    this.following = true;
    this.announcement = '';
  }

  /** Starts the conversation with the host, which answers `ready` with everything there is to show. */
  connect(host: Host): void {
    this.#host = host;
    host.onMessage((message) => this.#receive(message));
    this.addEventListener('click', (event) => this.#onClick(event));
    window.addEventListener('keydown', (event) => this.#onKey(event));
    host.post({ type: 'ready' });
  }

  get #streaming(): boolean {
    return this.turns.at(-1)?.state !== 'done' && this.turns.length > 0;
  }

  protected override firstUpdated(): void {
    prepareGrammars();
    const scroller = this.querySelector<HTMLElement>('.turns');
    const content = this.querySelector<HTMLElement>('.turns-content');
    if (!scroller || !content) return;
    this.#follower = new Follower(scroller, content, (following) => {
      this.following = following;
    });
  }

  protected override render(): TemplateResult {
    return html`
      ${this.#header()}
      <main class="turns" tabindex="-1">
        <div class="turns-content">
          ${repeat(
            this.turns,
            (turn) => turn.id,
            (turn, index) =>
              html`<mg-turn
                .turn=${turn}
                .number=${index + 1}
                .newest=${turn === this.turns.at(-1)}
                .following=${this.following}
              ></mg-turn>`,
          )}
          ${this.ready && this.turns.length === 0 ? this.#welcome() : nothing}
        </div>
      </main>
      <footer>
        ${this.following ? nothing : this.#jumpButton()}
        ${this.turns.length > 0 ? this.#targetNotice() : nothing}
        <mg-composer
          .streaming=${this.#streaming}
          .model=${this.target.model}
          .draft=${this.#host?.getState()?.draft ?? ''}
          .lastQuestion=${this.turns.at(-1)?.question ?? ''}
          @send=${(event: CustomEvent<string>) => this.#send(event.detail)}
          @draft=${(event: CustomEvent<string>) => this.#host?.setState({ draft: event.detail })}
          @stop=${() => this.#post({ type: 'stop' })}
        ></mg-composer>
      </footer>
      <div class="visually-hidden" role="status">${this.announcement}</div>
    `;
  }

  #header(): TemplateResult {
    const { model, profile } = this.target;
    const label = model === undefined ? 'Choose a model' : `Model: ${model}. Choose another`;
    return html`
      <header class="chat-header">
        <button type="button" class="model-button" title=${label} aria-label=${label} data-action="choose-model">
          <span class="model-name">${model ?? 'No model'}</span>
          <span class="codicon codicon-chevron-down" aria-hidden="true"></span>
        </button>
        ${profile === undefined ? nothing : html`<span class="profile" title="Profile">${profile}</span>`}
      </header>
    `;
  }

  #welcome(): TemplateResult {
    if (this.target.notice && this.target.model === undefined) {
      return html`<div class="welcome">${noticeView(this.target.notice)}</div>`;
    }
    return html`
      <div class="welcome">
        <h1>Ask ${this.target.model ?? 'a model'}</h1>
        <p>The reply appears here as it is written. Nothing is sent before you send it.</p>
        ${this.#targetNotice()}
        <div class="examples">
          ${examples.map((text) => html`<button type="button" class="example" data-action="example">${text}</button>`)}
        </div>
      </div>
    `;
  }

  #targetNotice(): TemplateResult | typeof nothing {
    return this.target.notice ? noticeView(this.target.notice) : nothing;
  }

  #jumpButton(): TemplateResult {
    return html`
      <button type="button" class="jump" data-action="jump">
        <span class="codicon codicon-arrow-down" aria-hidden="true"></span> Jump to the end
      </button>
    `;
  }

  #receive(message: ToChatPage): void {
    if (message.type === 'state') {
      this.#seq = message.seq;
      this.#paint(message.state);
    } else if (this.#seq !== undefined) {
      this.#seq += 1;
      if (message.seq === this.#seq) this.#apply(message);
      else this.#askAgain();
    }
  }

  /** A message was missed. What comes before the next snapshot is of no use. */
  #askAgain(): void {
    this.#seq = undefined;
    this.#post({ type: 'ready' });
  }

  #apply(message: Exclude<ToChatPage, { type: 'state' }>): void {
    if (message.type === 'turn') this.#showTurn(message.turn);
    else if (message.type === 'delta') {
      this.#turnElement(message.turnId)?.addText(message.text, message.reasoning);
    } else if (message.type === 'target') this.target = message.target;
    else this.#perform(message.action);
  }

  #paint(state: ChatState): void {
    this.turns = state.turns;
    this.target = state.target;
    this.ready = true;
  }

  #showTurn(turn: Turn): void {
    const known = this.turns.some(({ id }) => id === turn.id);
    this.turns = known
      ? this.turns.map((each) => (each.id === turn.id ? turn : each))
      : [...this.turns, turn];
    if (!known) this.#follower?.follow();
    if (turn.state === 'done') this.announcement = turn.notice?.title ?? 'Reply complete';
    else if (!known) this.announcement = 'Waiting for the reply';
  }

  #perform(action: 'focus-composer' | 'focus-last-reply'): void {
    if (action === 'focus-composer') this.#composer?.focusText();
    else this.#turnElement(this.turns.at(-1)?.id)?.focusReply();
  }

  #send(text: string): void {
    this.#post({ type: 'send', text });
  }

  get #composer(): Composer | undefined {
    const composer = this.querySelector('mg-composer');
    return composer instanceof Composer ? composer : undefined;
  }

  /** Called for every delta: must not search through the replies. */
  #turnElement(id: string | undefined): TurnElement | undefined {
    const index = this.turns.findLastIndex((turn) => turn.id === id);
    const found = this.querySelector('.turns-content')?.children[index];
    return found instanceof TurnElement ? found : undefined;
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key === 'Escape' && !event.isComposing && this.#streaming) this.#post({ type: 'stop' });
    const link = event.target instanceof HTMLElement && event.target.matches('a.link');
    if (event.key === 'Enter' && link) event.target.click();
  }

  #onClick(event: MouseEvent): void {
    if (!(event.target instanceof Element)) return;
    const link = event.target.closest<HTMLElement>('a.link');
    if (link?.dataset.url) this.#post({ type: 'open-link', url: link.dataset.url });
    const clicked = event.target.closest<HTMLElement>('[data-action]');
    if (clicked) this.#act(clicked, clicked.closest('mg-turn')?.turn.id);
  }

  #act(clicked: HTMLElement, turnId: string | undefined): void {
    const action = clicked.dataset.action ?? '';
    if (action === 'jump') this.#follower?.follow();
    else if (action === 'example') this.#composer?.insert(clicked.textContent);
    else if (action === 'copy-code') this.#copy(clicked, { type: action, text: codeBeside(clicked) });
    else if (action === 'copy-reply' || action === 'copy-request-id') {
      if (turnId) this.#copy(clicked, { type: action, turnId });
    } else if (isReplyAction(action)) this.#post({ type: 'action', turnId, action });
  }

  #copy(button: HTMLElement, message: Message): void {
    this.#post(message);
    this.announcement = 'Copied';
    const icon = button.querySelector('.codicon-copy');
    icon?.classList.replace('codicon-copy', 'codicon-check');
    setTimeout(() => icon?.classList.replace('codicon-check', 'codicon-copy'), 1500);
  }

  #post(message: Message): void {
    this.#host?.post(message);
  }
}

const replyActions: Readonly<Record<ReplyAction, true>> = {
  again: true,
  continue: true,
  connect: true,
  'use-demo-gateway': true,
  'set-credential': true,
  'change-address': true,
  'choose-model': true,
  'refresh-models': true,
  'open-timeouts': true,
  'show-log': true,
};

function isReplyAction(action: string): action is ReplyAction {
  return Object.hasOwn(replyActions, action);
}

function codeBeside(button: HTMLElement): string {
  return button.closest('.code-block')?.querySelector('pre code')?.textContent ?? '';
}

customElements.define('mg-chat', ChatPage);

declare global {
  interface HTMLElementTagNameMap {
    'mg-chat': ChatPage;
  }
}
