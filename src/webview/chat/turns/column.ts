import { html, nothing, type TemplateResult } from 'lit';
import type { TurnView } from '../../../protocol/chatTurn.ts';
import { renderIconButton } from '../../parts/buttons.ts';
import { LightElement, property } from '../../parts/lightElement.ts';
import { t } from '../../words/l10n.ts';
import type { StreamingTurn } from './streamingTurn.ts';
import { TurnList } from './turnList.ts';

/** `<mg-column>`: one of several replies side by side, and its later turns. */
export class ColumnElement extends LightElement.with({
  /** From 1. */
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

  /** Whether the last reply has text to continue with. */
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
