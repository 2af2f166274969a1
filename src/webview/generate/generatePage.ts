import './taskTiles.ts';
import { html, nothing, type TemplateResult } from 'lit';
import type {
  FormProblem,
  FramePosition,
  FromGeneratePage,
  GenerateForm,
  GenerateState,
  GenerateTarget,
  ToGeneratePage,
} from '../../protocol/generatePage.ts';
import type { ParameterValues, ReplyAction } from '../../protocol/pageMessage.ts';
import type { TaskTile } from '../../protocol/taskPage.ts';
import type { Tab } from '../form/parametersSheetViews.ts';
import { renderModelButton, renderPickerButton } from '../parts/buttons.ts';
import { listenForActions } from '../parts/clickActions.ts';
import { LightElement, state } from '../parts/lightElement.ts';
import { addRequestIds, renderNotice } from '../parts/noticeView.ts';
import { type Host, MessageSequence, waitForPageFocus } from '../parts/pageHost.ts';
import { t } from '../words/l10n.ts';
import { describeProblem } from '../words/problemWords.ts';
import { describeTileChanges } from '../words/taskWords.ts';
import { findExcluded, getFieldLabel, removePaths, removeProblems } from './fieldPaths.ts';
import { acceptPictures } from './frameDropZone.ts';
import { type FormEdit, GenerateFormElement } from './generateForm.ts';
import { pickRestValues, type RestSheet, renderRestSheet, replaceRestValues } from './restSheet.ts';
import { type EnteredForm, UnsentForm } from './unsentForm.ts';

/** The state that the page stores itself. */
interface StoredState {
  readonly enteredForm?: EnteredForm | undefined;
  readonly scrollTop?: number;
}

/** `<mg-generate>`: the Generate page. Shows the host's state, and sends the user's actions to the host. */
class GeneratePage extends LightElement.with({
  target: state<GenerateTarget>({
    gateway: undefined,
    model: undefined,
    route: '',
    routeShort: '',
    frames: [],
  }),
  /** Undefined until the host's first state. */
  form: state<GenerateForm | undefined>(),
  pictures: state<GenerateState['pictures']>({}),
  problems: state<readonly FormProblem[]>([]),
  price: state(''),
  tiles: state<readonly TaskTile[]>([]),
  submissionToken: state(''),
  /** Whether a submission is waiting for the host's response. */
  isSending: state(false),
  sheet: state<RestSheet | undefined>(),
  requestJson: state(''),
  announcement: state(''),
}) {
  #host: Host<ToGeneratePage, FromGeneratePage, StoredState> | undefined;
  readonly #sequence = new MessageSequence(() => this.#requestSnapshot());
  /** Undefined until the page is connected. */
  #unsentForm: UnsentForm | undefined;
  /** The focused element when the user submitted. */
  #submitter: Element | null = null;

  /** Connects to the host, which replies to `ready` with the whole state. */
  connect(host: Host<ToGeneratePage, FromGeneratePage, StoredState>): void {
    this.#host = host;
    this.#unsentForm = new UnsentForm(
      host.getState()?.enteredForm,
      (values) => host.post({ type: 'set-values', values }),
      (enteredForm) => this.#storeState({ enteredForm }),
    );
    host.onMessage((message) => this.#receive(message));
    listenForActions<FromGeneratePage>(this, {
      localActions: {
        'open-parameters': () => this.#openSheet('parameters'),
        'open-request': () => this.#openSheet('request'),
      },
      createMessage: createGenerateMessage,
      post: (message) => this.#post(message),
      announce: (text) => {
        this.announcement = text;
      },
    });
    acceptPictures(this, {
      getFrames: () => this.target.frames,
      getPictures: () => this.pictures,
      send: (message) => this.#post(message),
    });
    // The event does not bubble.
    this.addEventListener('scrollend', () => this.#storeScroll(), { capture: true });
    window.addEventListener('pagehide', () => this.#unsentForm?.expectSnapshot());
    host.post({ type: 'ready' });
  }

  protected override render(): TemplateResult {
    return html`
      ${renderHeader(this.form && this.target)}
      <main class="generate">
        <div class="generate-content">
          ${this.form ? this.#renderContent(this.form) : nothing}
        </div>
      </main>
      ${this.form && this.sheet ? this.#renderRestSheet(this.form, this.sheet) : nothing}
      <div class="visually-hidden" role="status">${this.announcement}</div>
    `;
  }

  #renderContent(form: GenerateForm): TemplateResult {
    const notice = this.target.notice ?? this.target.warning;
    return html`
      ${notice ? renderNotice(addRequestIds(notice)) : nothing}
      <mg-generate-form
        .target=${this.target}
        .form=${form}
        .pictures=${this.pictures}
        .problems=${this.#problems}
        .price=${this.price}
        .obstacle=${this.#obstacle}
        .isSending=${this.isSending}
        @values=${(event: CustomEvent<FormEdit>) => this.#onEdit(form, event.detail)}
        @count=${(event: CustomEvent<number>) => this.#setCount(form, event.detail)}
        @generate=${() => this.#generate()}
      ></mg-generate-form>
      <mg-tiles .tiles=${this.tiles}></mg-tiles>
    `;
  }

  #renderRestSheet(form: GenerateForm, sheet: RestSheet): TemplateResult {
    return renderRestSheet(form, sheet, this.requestJson, {
      onChange: (values) => this.#setRest(form, values),
      onPreview: () => this.#preview(),
      onCopy: () => this.#post({ type: 'copy-request' }),
      onClose: () => {
        this.sheet = undefined;
      },
    });
  }

  /** Why nothing can be generated now. The host checks the form itself on submission. */
  get #obstacle(): string | undefined {
    if (this.isSending) return t('The request is being sent');
    const { notice, model } = this.target;
    if (notice) return notice.title;
    return model === undefined ? t('Choose a model first') : this.#unsentProblem;
  }

  get #unsentProblem(): string | undefined {
    return this.#unsentForm?.problem && describeProblem(this.#unsentForm.problem);
  }

  get #problems(): readonly FormProblem[] {
    const problem = this.#unsentProblem;
    return problem === undefined ? this.problems : [...this.problems, { path: [], problem }];
  }

  get #formElement(): GenerateFormElement | undefined {
    const form = this.querySelector('mg-generate-form');
    return form instanceof GenerateFormElement ? form : undefined;
  }

  #receive(message: ToGeneratePage): void {
    if (!this.#sequence.accepts(message)) return;
    if (message.type === 'state') this.#showState(message.state);
    else if (message.type === 'form') this.#replaceForm(message.target, message.form);
    else if (message.type === 'target') this.target = message.target;
    else if (message.type === 'pictures') this.pictures = message.pictures;
    else if (message.type === 'problems') this.problems = message.problems;
    else if (message.type === 'price') this.price = message.price;
    else if (message.type === 'tiles') this.#showTiles(message.tiles);
    else if (message.type === 'submission-result') void this.#handleSubmissionResult(message);
    else if (message.type === 'request') this.requestJson = message.json;
    else if (message.type === 'perform') void this.#focusPrompt();
    else message satisfies never;
  }

  /** Requests the whole state, because a message was missed. */
  #requestSnapshot(): void {
    this.#unsentForm?.expectSnapshot();
    this.#post({ type: 'ready' });
  }

  #showState({ target, form, pictures, problems, price, tiles, submissionToken }: GenerateState): void {
    const values = this.#unsentForm?.receiveSnapshot(target);
    this.target = target;
    this.pictures = pictures;
    this.problems = problems;
    this.price = price;
    this.tiles = tiles;
    this.submissionToken = submissionToken;
    this.isSending = false;
    if (!this.form) void this.#restoreScroll();
    this.#showForm(values ? { ...form, values } : form);
  }

  /** Restores the scroll position from before the page was hidden, unless a field has received the focus since. */
  async #restoreScroll(): Promise<void> {
    const top = this.#host?.getState()?.scrollTop;
    await this.updateComplete;
    // By the next frame, the elements in the page have also rendered.
    requestAnimationFrame(() => {
      if (typeof top === 'number' && !this.contains(document.activeElement))
        this.#scroller?.scrollTo({ top });
    });
  }

  #storeScroll(): void {
    this.#storeState({ scrollTop: this.#scroller?.scrollTop ?? 0 });
  }

  #storeState(change: StoredState): void {
    this.#host?.setState({ ...this.#host.getState(), ...change });
  }

  get #scroller(): Element | null {
    return this.querySelector('.generate');
  }

  #replaceForm(target: GenerateTarget, form: GenerateForm): void {
    this.#unsentForm?.discard();
    this.target = target;
    this.#showForm(form);
  }

  /** Replaces the form, also in an open sheet. */
  #showForm(form: GenerateForm): void {
    this.form = form;
    if (this.sheet) this.sheet = { ...this.sheet, values: pickRestValues(form) };
  }

  #showTiles(tiles: readonly TaskTile[]): void {
    const changes = describeTileChanges(this.tiles, tiles);
    if (changes !== '') this.announcement = changes;
    this.tiles = tiles;
  }

  /** Handles the result of a submission. Earlier messages contained the problems that prevented it. */
  async #handleSubmissionResult({
    submissionToken,
    wasSent,
  }: Extract<ToGeneratePage, { type: 'submission-result' }>): Promise<void> {
    this.submissionToken = submissionToken;
    if (!this.isSending) return;
    this.isSending = false;
    const hasProblems = this.problems.length > 0;
    this.announcement = t(wasSent ? 'Sent' : hasProblems ? 'Not sent: the form has problems' : 'Not sent');
    await this.updateComplete;
    if (hasProblems) this.#formElement?.focusProblem();
    else this.#focusSubmitter();
  }

  /** Restores the focus after a submission. VS Code removes it when it shows a dialog or reveals the page. */
  #focusSubmitter(): void {
    if (document.activeElement !== document.body) return;
    const submitter = this.#submitter;
    if (submitter instanceof HTMLElement && submitter.isConnected) submitter.focus();
    else this.#formElement?.focusGenerate();
  }

  #onEdit(form: GenerateForm, { path, excluded, values }: FormEdit): void {
    this.problems = removeProblems(path, this.problems);
    this.#announceExcluded(form, excluded);
    this.#enterValues({ ...form, values });
  }

  #announceExcluded({ fields }: GenerateForm, excluded: FormEdit['excluded']): void {
    const names = excluded.map((path) => getFieldLabel(path, fields));
    if (names.length > 0) this.announcement = t('No longer set: {0}', names.join(t(', ')));
  }

  #setCount(form: GenerateForm, count: number): void {
    this.form = { ...form, count };
    this.#post({ type: 'set-count', count });
  }

  /** Passes the sheet its own values, so that it does not replace unfinished input. */
  #setRest(form: GenerateForm, rest: ParameterValues): void {
    if (this.sheet) this.sheet = { ...this.sheet, values: rest };
    const after = replaceRestValues(form, rest);
    const excluded = findExcluded(form.exclusions, form.values, after);
    const onPage = excluded.filter((path) => form.fields.some((field) => field.path.join() === path.join()));
    this.#announceExcluded(form, onPage);
    this.#enterValues({ ...form, values: removePaths(onPage, after) });
  }

  #openSheet(tab: Tab): void {
    if (!this.form) return;
    this.requestJson = '';
    this.sheet = { tab, values: pickRestValues(this.form) };
    if (tab === 'request') this.#preview();
  }

  #preview(): void {
    this.#unsentForm?.send();
    this.#post({ type: 'preview-request' });
  }

  #generate(): void {
    if (this.#obstacle !== undefined) return;
    this.#unsentForm?.send();
    this.#submitter = document.activeElement;
    this.isSending = true;
    this.announcement = t('Sending');
    this.#post({ type: 'generate', submissionToken: this.submissionToken });
  }

  #enterValues(form: GenerateForm): void {
    this.form = form;
    this.#unsentForm?.enter(this.target, form.values);
  }

  /** Closes an open sheet first, because elements behind it cannot get the focus. */
  async #focusPrompt(): Promise<void> {
    this.sheet = undefined;
    await this.updateComplete;
    if (await waitForPageFocus()) this.#formElement?.focusPrompt();
  }

  #post(message: FromGeneratePage): void {
    this.#host?.post(message);
  }
}

/**
 * Renders the target of the next request: model and route, with buttons to change them, and the gateway. Empty until
 * the host sends the target.
 */
function renderHeader(target: GenerateTarget | undefined): TemplateResult {
  if (!target) return html`<header class="page-header"></header>`;
  const { route, routeShort, gateway } = target;
  return html`
    <header class="page-header">
      ${renderModelButton(target)}
      ${renderPickerButton('choose-route', route, t('Route: {0}. Choose another', route), routeShort)}
      ${gateway === undefined ? nothing : html`<span class="gateway" title=${t('Gateway')}>${gateway}</span>`}
    </header>
  `;
}

/**
 * Creates the message to the host for a click on the Generate page. The form handles clicks on Generate.
 */
function createGenerateMessage(action: string, { dataset }: HTMLElement): FromGeneratePage {
  switch (action) {
    case 'choose-model':
    case 'choose-route':
      return { type: action };
    case 'attach-file':
    case 'detach':
      return { type: action, frame: dataset.frame as FramePosition };
    case 'open-task':
      return { type: action, key: dataset.key ?? '' };
    default:
      return { type: 'action', action: action as ReplyAction };
  }
}

customElements.define('mg-generate', GeneratePage);

declare global {
  interface HTMLElementTagNameMap {
    'mg-generate': GeneratePage;
  }
}
