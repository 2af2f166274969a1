import './taskResult.ts';
import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { ActionButton } from '../../protocol/pageMessage.ts';
import type { FromTaskPage, ResultView, TaskAction, TaskView, ToTaskPage } from '../../protocol/taskPage.ts';
import { isUnderway } from '../parts/appearanceIcon.ts';
import { renderActionButtons } from '../parts/buttons.ts';
import { listenForActions } from '../parts/clickActions.ts';
import { restoreFocus, SecondTimer } from '../parts/elementControllers.ts';
import { LightElement, property, state } from '../parts/lightElement.ts';
import { renderNotice } from '../parts/noticeView.ts';
import type { Host } from '../parts/pageHost.ts';
import { repeat } from '../parts/repeat.ts';
import { t } from '../words/l10n.ts';
import { describeTaskChanges } from '../words/taskWords.ts';
import { formatDuration } from '../words/timeWords.ts';
import { renderDetails, renderFailedPolls } from './taskDetails.ts';
import { renderTaskHeader } from './taskHeader.ts';
import { renderTimeline } from './taskTimeline.ts';

/** The state that the page stores itself: its task and the reader's position. */
interface StoredState {
  /** The task's key, with which the host restores the page after a reload. */
  readonly key: string;
  readonly openFolds: readonly string[];
  readonly scrollTop: number;
}

/** `<mg-task>`: one task. Shows the host's state, and sends the user's actions to the host. */
class TaskPage extends LightElement.with({
  view: state<TaskView | undefined>(),
  announcement: state(''),
}) {
  #host: Host<ToTaskPage, FromTaskPage, StoredState> | undefined;
  readonly #openFolds = new Set<string>();

  constructor() {
    super();
    restoreFocus(this);
  }

  /** Connects to the host, which replies to `ready` with the whole state. */
  connect(host: Host<ToTaskPage, FromTaskPage, StoredState>): void {
    this.#host = host;
    for (const fold of host.getState()?.openFolds ?? []) this.#openFolds.add(fold);
    host.onMessage(({ state }) => this.#show(state));
    listenForActions<FromTaskPage>(this, {
      createMessage: createTaskMessage,
      ignoresSecondClick: () => true,
      post: (message) => host.post(message),
      announce: (text) => {
        this.announcement = text;
      },
    });
    // These events do not bubble.
    this.addEventListener('toggle', (event) => this.#onToggle(event), { capture: true });
    this.addEventListener('scrollend', () => this.#storeState(), { capture: true });
    host.post({ type: 'ready' });
  }

  protected override render(): TemplateResult {
    return html`
      ${this.view ? keyed(this.view.tile.key, this.#renderTask(this.view)) : nothing}
      <div class="visually-hidden" role="status">${this.announcement}</div>
    `;
  }

  #renderTask(view: TaskView): TemplateResult {
    const { notice, results } = view;
    return html`
      ${renderTaskHeader(view)}
      <main class="task-scroll" tabindex="-1">
        <div class="task-content">
          <div class="task-output">
            ${notice ? renderNotice(notice) : nothing}
            ${renderRunningTask(view)}
            ${results.length === 0 ? nothing : renderResults(results)}
          </div>
          <div class="task-details">${renderDetails(view)}</div>
          <div class="task-history">${renderTimeline(view.timeline)} ${this.#renderFolds(view)}</div>
        </div>
      </main>
    `;
  }

  #renderFolds({ record, request, failedPolls }: TaskView): TemplateResult {
    return html`
      ${record === undefined ? nothing : this.#renderJsonFold(t('Original record from the gateway'), record, { action: 'copy-record', label: t('Copy Record') })}
      ${request === undefined ? nothing : this.#renderJsonFold(t('Request'), request, { action: 'copy-request', label: t('Copy Request') })}
      ${renderFailedPolls(failedPolls, this.#openFolds.has('polls'))}
    `;
  }

  #renderJsonFold(name: string, json: string, copy: ActionButton<TaskAction>): TemplateResult {
    const isOpen = this.#openFolds.has(copy.action);
    return html`<mg-json-fold .name=${name} .json=${json} .copy=${copy} .isOpen=${isOpen}></mg-json-fold>`;
  }

  #show(after: TaskView): void {
    const before = this.view;
    this.view = after;
    if (before && before.tile.key !== after.tile.key) this.#showAnotherTask();
    else if (before) this.announcement = describeTaskChanges(before, after, Date.now()) || this.announcement;
    else void this.#restoreScroll(this.#host?.getState()?.scrollTop ?? 0);
  }

  /** Scrolls to the top and closes all folds, because another task is shown. */
  #showAnotherTask(): void {
    this.#openFolds.clear();
    this.announcement = '';
    void this.#restoreScroll(0);
  }

  /** Restores the scroll position of a page that was hidden; 0 for a task that was not shown before. */
  async #restoreScroll(top: number): Promise<void> {
    await this.updateComplete;
    // By the next frame, the elements in the page have also rendered.
    requestAnimationFrame(() => {
      if (top > 0) this.#scroller?.scrollTo({ top });
      this.#storeState();
    });
  }

  get #scroller(): Element | null {
    return this.querySelector('.task-scroll');
  }

  #onToggle({ target }: Event): void {
    if (!(target instanceof HTMLDetailsElement) || target.dataset.fold === undefined) return;
    if (target.open) this.#openFolds.add(target.dataset.fold);
    else this.#openFolds.delete(target.dataset.fold);
    this.#storeState();
  }

  #storeState(): void {
    const scrollTop = this.#scroller?.scrollTop ?? 0;
    const key = this.view?.tile.key;
    if (key !== undefined) this.#host?.setState({ key, openFolds: [...this.#openFolds], scrollTop });
  }
}

function createTaskMessage(action: string, { dataset: { result } }: HTMLElement): FromTaskPage {
  return {
    type: 'action',
    action: action as TaskAction,
    ...(result !== undefined && { result: Number(result) }),
  };
}

function renderResults(results: readonly ResultView[]): TemplateResult {
  return html`
    <div class="results ${results.length > 1 ? 'several' : ''}">
      ${repeat(
        results,
        ({ index }) => index,
        (result, position) =>
          html`<mg-result .result=${result} .name=${nameResult(position, results.length)}></mg-result>`,
      )}
    </div>
  `;
}

function nameResult(position: number, count: number): string {
  return count === 1 ? t('Result') : t('Result {0} of {1}', position + 1, count);
}

customElements.define('mg-task', TaskPage);

declare global {
  interface HTMLElementTagNameMap {
    'mg-task': TaskPage;
  }
}

/** Renders a running task instead of its result: its progress, its next step, and its actions. */
function renderRunningTask(view: TaskView): TemplateResult | typeof nothing {
  const { tile, next, buttons, mainButtons } = view;
  if (!isUnderway(tile.appearance)) return nothing;
  return html`
    <section class="underway" aria-label=${tile.status}>
      <div class="underway-state">${t('{0} for', tile.status)} <mg-running-time .since=${tile.startedAt}></mg-running-time></div>
      <mg-progress class="task-progress" .progress=${tile.progress}></mg-progress>
      ${next === undefined ? nothing : html`<div class="underway-note">${next}</div>`}
      <div class="underway-buttons">${renderActionButtons(buttons.slice(0, mainButtons), () => 'button secondary')}</div>
    </section>
  `;
}

/** `<mg-running-time>`: how long a task has been running. */
class RunningTimeElement extends LightElement.with({
  /** Milliseconds since 1970. */
  since: property<number>(),
}) {
  constructor() {
    super();
    new SecondTimer(this);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    // A number that changes every second should not be read aloud.
    this.ariaHidden = 'true';
  }

  protected override render(): TemplateResult {
    const seconds = Math.max(0, Math.floor((Date.now() - this.since) / 1000));
    return html`${formatDuration(seconds * 1000)}`;
  }
}

customElements.define('mg-running-time', RunningTimeElement);
