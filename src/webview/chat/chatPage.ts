import './composer/promptForm.ts';
import { html, nothing, type TemplateResult } from 'lit';
import type {
  ChatFields,
  ChatPatch,
  ChatState,
  FromChatPage,
  PageAction,
  PageCommand,
  ToChatPage,
} from '../../protocol/chatPage.ts';
import type { SystemPromptView } from '../../protocol/parameters.ts';
import type { PromptFormMessage, PromptFormView } from '../../protocol/promptForm.ts';
import { prepareGrammars } from '../markdown/codeBlock.ts';
import { openCodeMenu } from '../markdown/codeFrame.ts';
import { leaveFootnote, openFootnote } from '../markdown/footnotes.ts';
import { listenForActions } from '../parts/clickActions.ts';
import { readBrowserKey } from '../parts/hostKeys.ts';
import { LightElement, state } from '../parts/lightElement.ts';
import { renderNotice } from '../parts/noticeView.ts';
import { type Host, MessageSequence, waitForPageFocus } from '../parts/pageHost.ts';
import { t } from '../words/l10n.ts';
import { composerActions, createChatMessage, onceOnlyActions } from './chatActions.ts';
import { renderHeader } from './chatHeader.ts';
import { FileMentions } from './composer/fileMentions.ts';
import type { StoredForm } from './composer/promptForm.ts';
import { FindInChat, mayChangeMatches } from './find/findInChat.ts';
import { mayChangeRequest, ParametersSheet } from './parametersSheet.ts';
import { ReadingPosition } from './readingPosition.ts';
import type { StoredChat } from './storedChat.ts';
import { SystemPromptElement } from './systemPrompt.ts';
import { messageEdits } from './turns/messageEditor.ts';
import { MessageTools } from './turns/messageTools.ts';
import { schemaChecks } from './turns/schemaCheck.ts';
import { ShownPath } from './turns/shownPath.ts';
import { TurnChanges } from './turns/turnChanges.ts';
import { UnsentView } from './unsentView.ts';
import { renderWelcome } from './welcome.ts';

/** The commands of the keys that VS Code does not receive in a browser, by key code. */
const browserKeyCommands = { 67: 'chat.copyReply', 86: 'generate' } as const satisfies Record<
  number,
  PageCommand
>;

/** `<mg-chat>`: one chat. Shows the host's state, and sends the user's actions to the host. */
class ChatPage extends LightElement.with({
  /** The last state from the host; undefined before the first one. */
  fields: state<ChatFields | undefined>(),
  isFollowing: state(true),
  announcement: state(''),
}) {
  #host: Host<ToChatPage, FromChatPage, StoredChat> | undefined;
  readonly #sequence = new MessageSequence(() => this.#post({ type: 'ready' }));
  readonly #turns = new ShownPath(() => this.isFollowing);
  readonly #fileMentions = new FileMentions(this, (message) => this.#post(message));
  readonly #parameters = new ParametersSheet(
    this,
    (message) => this.#post(message),
    () => this.#unsent.text,
  );
  readonly #unsent = new UnsentView(this, {
    getHost: () => this.#host,
    getFields: () => this.fields,
    store: (change) => this.#storeState(change),
    onSend: () => this.#systemPromptElement?.fold(),
    onEdit: () => this.#parameters.refreshRequest(),
    announce: (text) => this.#announce(text),
  });
  readonly #messageTools = new MessageTools(this, {
    post: (message) => this.#post(message),
    announce: (text) => this.#announce(text),
    insertQuotation: (quotation) => this.#unsent.quote(quotation),
    getDeleted: () => this.fields?.deleted,
  });
  readonly #position = new ReadingPosition(this, {
    turns: this.#turns,
    onFollow: (isFollowing) => {
      this.isFollowing = isFollowing;
    },
    store: (place) => this.#storeState({ place }),
  });
  readonly #turnChanges = new TurnChanges({
    turns: this.#turns,
    follow: () => this.#position.scrollToEnd(),
    preservePosition: (before) => this.#position.preservePosition(before),
    announce: (text) => this.#announce(text),
    onChange: () => this.requestUpdate(),
  });
  readonly #find = new FindInChat(this, {
    turns: this.#turns,
    getScroller: () => this.#position.scroller,
    getFollower: () => this.#position.follower,
    getOptions: () => this.#host?.getState()?.find,
    store: (find) => this.#storeState({ find }),
  });

  /** Connects to the host, which replies to `ready` with the whole state. */
  connect(host: Host<ToChatPage, FromChatPage, StoredChat>): void {
    this.#host = host;
    messageEdits.connect(host.getState()?.edits, (edits) => this.#storeState({ edits }));
    host.onMessage((message) => this.#receive(message));
    listenForActions<FromChatPage>(this, {
      localActions: {
        jump: () => this.#position.scrollToEnd(),
        'open-code-menu': openCodeMenu,
        'wrap-code': () => this.#toggleWrap(),
        'open-footnote': openFootnote,
        'leave-footnote': leaveFootnote,
        'edit-question': (element) => void element.closest('mg-turn')?.edit('question'),
        'edit-reply': (element) => void element.closest('mg-turn')?.edit('reply'),
        quote: () => this.#messageTools.quote(),
        'open-parameters': () => this.#parameters.toggle(),
        'ask-example': ({ textContent }) => this.#unsent.send(textContent),
      },
      createMessage: createChatMessage,
      ignoresSecondClick: (action) => onceOnlyActions.has(action),
      post: (message) => this.#post(message),
      onPerformed: (action) => {
        if (composerActions.has(action)) this.#unsent.focus();
      },
      announce: (text) => this.#announce(text),
    });
    window.addEventListener('keydown', (event) => this.#onKey(event));
    window.addEventListener('focus', () => this.#takeFocus());
    window.addEventListener('pointerup', () => this.#unsent.recordFocus('command'), { capture: true });
    this.addEventListener('waited', ({ detail }) => this.#announce(detail));
    this.addEventListener('edit-message', ({ detail }) => {
      this.#post(detail);
      // Another turn replaces the edited one, and its focused button disappears.
      this.#unsent.focus();
    });
    this.addEventListener('read-picture', ({ detail: hash }) => this.#post({ type: 'read-picture', hash }));
    this.addEventListener('painted', ({ target }) => {
      if (target instanceof Element) this.#fileMentions.read(target);
    });
    host.post({ type: 'ready' });
  }

  protected override firstUpdated(): void {
    prepareGrammars();
    const { scroller } = this.#position;
    const content = this.querySelector<HTMLElement>('.turns-content');
    if (!scroller || !content) return;
    this.#position.connect(scroller, content);
    this.#messageTools.connect(scroller);
  }

  protected override willUpdate(): void {
    // A class, because browsers evaluate a `:has` selector again on each change of the descendants.
    this.classList.toggle('beside-sheet', this.#parameters.isOpen);
  }

  protected override render(): TemplateResult {
    const { target, systemPrompt, promptForm, parameters } = this.fields ?? {};
    return html`
      ${renderHeader(target, this.#turns.isEmpty, this.#parameters.isOpen)}
      <main class="turns" tabindex="-1">
        <div class="turns-content">
          ${systemPrompt ? this.#renderSystemPrompt(systemPrompt) : nothing}
          ${this.#turns.element}
          ${target && this.#turns.isEmpty ? renderWelcome(target) : nothing}
        </div>
      </main>
      <footer>
        ${this.isFollowing ? nothing : this.#renderJumpButton()}
        ${target?.notice && !this.#turns.isEmpty ? renderNotice(target.notice) : nothing}
        ${this.#messageTools.render()}
        ${promptForm ? this.#renderPromptForm(promptForm) : nothing}
        ${this.#unsent.render({
          isStreaming: this.#turns.isStreaming,
          model: target?.model,
          modelCount: target?.compared?.length ?? 1,
          lastQuestion: this.#turns.lastQuestion,
        })}
      </footer>
      ${this.#parameters.render(parameters)}
      ${this.#find.render()}
      <div class="visually-hidden" role="status">${this.announcement}</div>
    `;
  }

  #renderSystemPrompt(prompt: SystemPromptView): TemplateResult {
    return html`
      <mg-system-prompt
        .prompt=${prompt}
        @system-prompt=${({ detail: text }: CustomEvent<string>) => this.#post({ type: 'set-system-prompt', text })}
      ></mg-system-prompt>
    `;
  }

  #renderPromptForm(form: PromptFormView): TemplateResult {
    return html`
      <mg-prompt-form
        .form=${form}
        .storedForm=${this.#host?.getState()?.promptForm}
        @prompt-form=${({ detail }: CustomEvent<PromptFormMessage>) => this.#handlePromptForm(detail)}
        @prompt-typed=${({ detail: promptForm }: CustomEvent<StoredForm>) => this.#storeState({ promptForm })}
      ></mg-prompt-form>
    `;
  }

  /** Sends the result of the form to the host. Focuses the message box if the form was cancelled. */
  #handlePromptForm(message: PromptFormMessage): void {
    this.#post(message);
    this.#storeState({ promptForm: undefined });
    if (message.type === 'close-prompt') this.#unsent.focus();
  }

  #renderJumpButton(): TemplateResult {
    return html`
      <button type="button" class="jump" data-action="jump">
        <span class="codicon codicon-arrow-down" aria-hidden="true"></span> ${t('Jump to End')}
      </button>
    `;
  }

  #receive(message: ToChatPage): void {
    if (!this.#sequence.accepts(message)) return;
    if (message.type !== 'state') this.#handleMessage(message);
    else if (message.isPatch) this.#applyPatch(message.state);
    else this.#showState(message.state);
    if (mayChangeRequest(message)) this.#parameters.refreshRequest();
    if (mayChangeMatches(message)) this.#find.refresh();
  }

  #handleMessage(message: Exclude<ToChatPage, { type: 'state' }>): void {
    switch (message.type) {
      case 'delta':
        if (this.#turns.applyDelta(message.turnId, message)) this.requestUpdate();
        break;
      case 'completions':
      case 'unsent':
        this.#unsent.receive(message);
        break;
      case 'parameters':
      case 'request':
        this.#parameters.receive(message);
        break;
      case 'files':
        this.#fileMentions.show(message.existing);
        break;
      case 'picture':
        this.#showPicture(message);
        break;
      case 'reveal':
        void this.#position.showSearchResult(message);
        break;
      case 'perform':
        void this.#perform(message.action);
        break;
      default:
        message satisfies never;
    }
  }

  #showState({ chat, draft, path, ...fields }: ChatState): void {
    const storedState = this.#host?.getState();
    const isFirst = this.fields === undefined;
    this.#storeState({ chat });
    if (isFirst) this.#showDraft(draft, storedState?.draft ?? '');
    this.#turns.showExcluded(fields.excludedTurns);
    this.#turns.show(path);
    if (isFirst && storedState?.place) void this.#position.goTo(storedState.place);
    this.#showFields(fields);
  }

  /** Shows and announces the changes. */
  #applyPatch({ earlier, path, changed, ...fields }: ChatPatch): void {
    const before = this.fields;
    if (!before) return;
    const { target, queued, deleted, excludedTurns } = fields;
    this.#showFields({ ...before, ...fields });
    this.#turnChanges.receive({ earlier, path, changed, excludedTurns });
    const notice = target?.notice?.title;
    if (notice !== undefined && notice !== before.target.notice?.title) this.#announce(notice);
    if (queued) this.#announce(t('Queued. It is sent when this reply is complete.'));
    if (deleted) void this.#messageTools.announceDeleted(deleted);
  }

  #showFields(fields: ChatFields): void {
    if (this.fields) this.#parameters.refresh(this.fields, fields);
    if (fields.wrapsCode !== this.fields?.wrapsCode) this.classList.toggle('wrap-code', fields.wrapsCode);
    if (fields.schemaChecks !== this.fields?.schemaChecks) schemaChecks.show(fields.schemaChecks);
    this.fields = fields;
  }

  /** Shows the host's draft if it contains the stored one: the host may have added a question that was not sent. */
  #showDraft(hostDraft: string, storedDraft: string): void {
    if (hostDraft !== '' && hostDraft.includes(storedDraft)) this.#unsent.showDraft(hostDraft);
  }

  async #perform(action: PageAction): Promise<void> {
    await this.updateComplete;
    if (!(await waitForPageFocus())) return;
    if (action === 'focus-composer') this.#unsent.focus('command');
    else if (action === 'focus-composer-late') this.#unsent.focus('late');
    else if (action === 'quote') this.#messageTools.quote();
    else if (action === 'focus-prompt-form') await this.querySelector('mg-prompt-form')?.focusFirst();
    else if (action === 'focus-last-reply') this.#turns.focusLastReply();
    else if (action === 'find') await this.#find.open();
    else if (action === 'focus-next-column') this.#turns.focusAdjacentColumn(1);
    else if (action === 'focus-previous-column') this.#turns.focusAdjacentColumn(-1);
    else await this.#systemPromptElement?.edit();
  }

  /** Toggles between wrapping and scrolling long lines of code. */
  #toggleWrap(): void {
    this.#post({ type: 'wrap-code', isOn: this.classList.toggle('wrap-code') });
  }

  #showPicture({ hash, data }: Extract<ToChatPage, { type: 'picture' }>): void {
    for (const picture of this.querySelectorAll('mg-picture')) {
      if ('hash' in picture.image && picture.image.hash === hash) picture.show(data);
    }
  }

  #announce(text: string): void {
    this.announcement = text;
  }

  #storeState(change: StoredChat): void {
    this.#host?.setState({ ...this.#host.getState(), ...change });
  }

  get #systemPromptElement(): SystemPromptElement | undefined {
    const element = this.querySelector('mg-system-prompt');
    return element instanceof SystemPromptElement ? element : undefined;
  }

  /**
   * Moves the focus to the message box when the page gets the focus, for example by a click on its tab. Does nothing if
   * the page shows a search result, or if another element of the page has the focus or a selection.
   */
  #takeFocus(): void {
    this.#unsent.recordFocus('returned');
    if (this.#position.takeFocus()) return;
    const isPageIdle = document.activeElement === document.body && getSelection()?.isCollapsed !== false;
    if (isPageIdle) this.#unsent.focus();
  }

  #onKey(event: KeyboardEvent): void {
    if (this.#find.handleKey(event)) return;
    this.#messageTools.handleKey(event);
    const key = readBrowserKey(event);
    if (key !== undefined) this.#post({ type: 'run', command: browserKeyCommands[key] });
    if (event.key === 'Escape' && !event.isComposing && this.#turns.isStreaming) this.#post({ type: 'stop' });
    const isLink = event.target instanceof HTMLElement && event.target.matches('.link');
    if (event.key === 'Enter' && isLink) event.target.click();
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
