import { html, nothing, type TemplateResult } from 'lit';
import type { ComparisonView, ReplyDelta, TurnView } from '../../../protocol/chatTurn.ts';
import { createElement, createTextNodes } from '../../markdown/dom.ts';
import { renderIconButton } from '../../parts/buttons.ts';
import { LightElement, property } from '../../parts/lightElement.ts';
import { t } from '../../words/l10n.ts';
import type { StreamingTurn } from './streamingTurn.ts';
import { TurnElement } from './turn.ts';
import { TurnList } from './turnList.ts';

/** The columns: replies side by side, below their common question. */
export class Columns {
  readonly element = createElement('div', 'compared');
  readonly #row = createElement('div', 'columns');
  /**
   * Links to each column, shown if the columns are not in one row, because some may then be outside the viewport.
   */
  readonly #overview = createElement('div', 'columns-overview', {
    role: 'navigation',
    'aria-label': t('Compared replies'),
  });
  readonly #isFollowing: () => boolean;
  readonly #question = new TurnElement();
  #columns: readonly ColumnElement[] = [];

  /** @param isFollowing returns whether the reader is at the end of the conversation */
  constructor(isFollowing: () => boolean) {
    this.#isFollowing = isFollowing;
    this.#question.part = 'question';
    this.element.append(this.#overview, this.#row);
    this.element.hidden = true;
    new ResizeObserver(() => this.#showOverview()).observe(this.#row);
  }

  get isShown(): boolean {
    return this.#columns.length > 0;
  }

  get isStreaming(): boolean {
    return this.#columns.some(({ list }) => list.last?.view.state !== 'done');
  }

  /** Whether there are columns below other columns, because the page is narrow. */
  get isStacked(): boolean {
    const [first, last] = [this.#columns[0], this.#columns.at(-1)];
    return first !== undefined && last !== undefined && last.offsetTop > first.offsetTop;
  }

  get lastQuestion(): string | undefined {
    return this.#columns[0]?.list.last?.view.question;
  }

  /**
   * Shows these columns, and reuses existing elements.
   *
   * @param excludedIds the ids of the turns that are not sent with the next question
   * @param turnsBefore the number of turns before the columns
   * @param find finds a turn that is already shown
   */
  show(
    comparison: ComparisonView | undefined,
    excludedIds: readonly string[],
    turnsBefore: number,
    find: (id: string) => StreamingTurn | undefined,
  ): void {
    const { columns = [], sharesQuestion = false } = comparison ?? {};
    const turnsOfColumns = columns.map((turns) =>
      turns.flatMap((turn) => (typeof turn === 'string' ? (find(turn) ?? []) : turn)),
    );
    this.#columns = turnsOfColumns.map(
      (_, index) => this.#columns[index] ?? new ColumnElement(this.#isFollowing),
    );
    this.#row.replaceChildren(...this.#columns);
    this.#row.dataset.count = String(turnsOfColumns.length);
    for (const [index, column] of this.#columns.entries()) {
      column.number = index + 1;
      column.count = turnsOfColumns.length;
      column.show(turnsOfColumns[index] ?? [], excludedIds, { turnsBefore, sharesQuestion });
      const firstTurn = column.list.first;
      if (firstTurn) firstTurn.hidesQuestion = sharesQuestion && index > 0;
    }
    this.element.hidden = !this.isShown;
    this.#overview.replaceChildren(...this.#columns.map(createOverviewButton));
    this.#showOverview();
    this.#updateRowCount();
    this.#showQuestion(sharesQuestion, turnsBefore);
    this.#updateBusy();
  }

  /** The lists of turns, one for each column. */
  get lists(): readonly TurnList[] {
    return this.#columns.map(({ list }) => list);
  }

  find(turnId: string): StreamingTurn | undefined {
    return this.#findColumn(turnId)?.list.find(turnId);
  }

  has(turnId: string): boolean {
    return this.#findColumn(turnId) !== undefined;
  }

  /** Shows the host's state of a turn in its column. @returns whether its question was just sent */
  showTurn(turn: TurnView): boolean {
    const column = this.#findColumn(turn.id);
    const isJustSent = column?.list.showTurn(turn) ?? false;
    column?.requestUpdate();
    this.#updateRowCount();
    this.#updateBusy();
    return isJustSent;
  }

  /** Appends a delta to a reply. @returns whether the turn changed its state */
  applyDelta(turnId: string, delta: ReplyDelta): boolean {
    const column = this.#findColumn(turnId);
    const isStateChanged = column?.list.applyDelta(turnId, delta) ?? false;
    if (isStateChanged) column?.requestUpdate();
    return isStateChanged;
  }

  showExcluded(ids: readonly string[]): void {
    for (const { list } of this.#columns) list.showExcluded(ids);
  }

  async reveal(turnId: string): Promise<TurnElement | undefined> {
    return this.#findColumn(turnId)?.list.reveal(turnId);
  }

  findPosition(top: number): { readonly turnId: string; readonly offset: number } | undefined {
    for (const { list } of this.#columns) {
      const position = list.findPosition(top);
      if (position) return position;
    }
    return undefined;
  }

  /**
   * Moves the focus to the next or previous column, wrapping around. If the focus is outside the columns, it moves to
   * the first or the last one.
   */
  focusAdjacent(step: 1 | -1): void {
    const { length } = this.#columns;
    const focusedIndex = this.#columns.findIndex((column) => column.contains(document.activeElement));
    const next =
      focusedIndex === -1 ? (step === 1 ? 0 : length - 1) : (focusedIndex + step + length) % length;
    this.#columns[next]?.focusColumn();
  }

  #showOverview(): void {
    this.#overview.hidden = !this.isStacked;
    this.#row.style.setProperty('--overview-height', `${this.#overview.offsetHeight}px`);
  }

  #findColumn(turnId: string): ColumnElement | undefined {
    return this.#columns.find(({ list }) => list.find(turnId) !== undefined);
  }

  #showQuestion(isShared: boolean, turnsBefore: number): void {
    const turn = this.#columns[0]?.list.first;
    if (!isShared || !turn) {
      this.#question.remove();
      return;
    }
    this.#question.number = turnsBefore + 1;
    this.#question.show(turn);
    if (!this.#question.isConnected) this.element.prepend(this.#question);
  }

  /**
   * Sets the number of grid rows. Turns with the same index share a row; the head and the button for earlier turns
   * have rows of their own.
   */
  #updateRowCount(): void {
    const turns = Math.max(0, ...this.lists.map(({ length }) => length));
    this.#row.style.setProperty('--rows', String(2 + turns));
  }

  #updateBusy(): void {
    const { isStreaming } = this;
    this.#question.isBusy = isStreaming;
    for (const column of this.#columns) column.isBusy = isStreaming;
  }
}

function createOverviewButton(column: ColumnElement): HTMLElement {
  const { model = '' } = column.list.last?.view ?? {};
  const name = t('Reply {0} of {1}: {2}', column.number, column.count, model);
  const button = createElement('button', 'text-button', { type: 'button', title: name, 'aria-label': name });
  button.append(...createTextNodes(model));
  button.addEventListener('click', () => {
    column.scrollIntoView({ block: 'start' });
    column.focusColumn();
  });
  return button;
}

/** `<mg-column>`: one of several replies side by side, and its later turns. */
export class ColumnElement extends LightElement.with({
  /** The position of the column, from 1. */
  number: property(1),
  count: property(1),
  /** Whether a reply is arriving in any column: columns cannot be closed until it is complete. */
  isBusy: property(false),
}) {
  readonly list: TurnList;

  /** @param isFollowing returns whether the reader is at the end of the conversation */
  constructor(isFollowing: () => boolean) {
    super();
    this.list = new TurnList(isFollowing);
  }

  /** The id of its last turn. */
  get turnId(): string | undefined {
    return this.#last?.id;
  }

  /**
   * Shows these turns.
   *
   * @param excludedIds the ids of the turns that are not sent with the next question
   */
  show(
    turns: readonly (TurnView | StreamingTurn)[],
    excludedIds: readonly string[],
    { turnsBefore, sharesQuestion }: { readonly turnsBefore: number; readonly sharesQuestion: boolean },
  ): void {
    this.list.becomeColumn(turnsBefore, sharesQuestion);
    this.list.show(turns, excludedIds);
    this.requestUpdate();
  }

  focusColumn(): void {
    this.querySelector<HTMLElement>('.column')?.focus({ preventScroll: true });
  }

  protected override willUpdate(): void {
    const isOffered = this.#last?.state === 'done' && this.#hasText;
    this.list.setContinueOffer(isOffered ? (this.isBusy ? 'later' : 'now') : 'none');
  }

  protected override render(): TemplateResult | typeof nothing {
    const turn = this.#last;
    if (!turn) return nothing;
    const { model, state } = turn;
    const isRunning = state !== 'done';
    return html`
      <section class="column" tabindex="-1" aria-label=${t('Reply {0} of {1}: {2}', this.number, this.count, model)} aria-busy=${isRunning}>
        <div class="column-head">
          <h2 class="column-model" title=${model}>${model}</h2>
          <span class="column-state">${describeState(turn)}</span>
          <div class="column-tools">
            ${isRunning ? renderStopButton() : nothing}
            ${renderIconButton('diff', t(this.count > 2 ? 'Compare with…' : 'Compare in the Diff Editor'), 'open-differences', { isDisabled: isRunning })}
            ${renderIconButton('close', t('Close Column'), 'close-column', { isDisabled: this.isBusy })}
          </div>
        </div>
        ${this.list.element}
      </section>
    `;
  }

  /** Whether the last reply has text, so that the chat can continue with it. */
  get #hasText(): boolean {
    return this.list.last?.replies.some(({ text }) => text.length > 0) ?? false;
  }

  get #last(): Omit<TurnView, 'replies'> | undefined {
    return this.list.last?.view;
  }
}

/** Renders a button with the same icon as the stop button of the message box. */
function renderStopButton(): TemplateResult {
  return html`
    <button type="button" class="icon-button" title=${t('Stop This Reply')} aria-label=${t('Stop This Reply')} data-action="stop-column">
      <span class="stop-icon" aria-hidden="true"></span>
    </button>
  `;
}

/** Describes the state of a reply in one word; empty for a complete reply. */
function describeState({ state, notice }: Omit<TurnView, 'replies'>): string {
  if (state === 'waiting') return t('waiting');
  if (state === 'streaming') return t('receiving');
  return notice?.severity === 'error' ? t('failed') : '';
}

customElements.define('mg-column', ColumnElement);

declare global {
  interface HTMLElementTagNameMap {
    'mg-column': ColumnElement;
  }
}
