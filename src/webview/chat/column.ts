import { html, nothing, type TemplateResult } from 'lit';
import type { Turn } from '../../protocol/chatTurn.ts';
import { iconButton } from '../parts/buttons.ts';
import { LightElement, property } from '../parts/lightElement.ts';
import { t } from '../words/l10n.ts';
import type { StreamingTurn } from './streamingTurn.ts';
import { TurnList } from './turnList.ts';

/** `<mg-column>`: one of several answers side by side, and what was said below it. */
export class ColumnElement extends LightElement.with({
  /** From 1. */
  number: property(1),
  count: property(1),
  /** Whether a reply arrives in any column: none can be left meanwhile. */
  isBusy: property(false),
}) {
  readonly list: TurnList;

  /** @param isFollowing whether the reader is at the end of the conversation */
  constructor(isFollowing: () => boolean) {
    super();
    this.list = new TurnList(isFollowing);
  }

  /** The id of its last turn. */
  get turnId(): string | undefined {
    return this.#last?.id;
  }

  /** Shows these turns. @param sharesQuestion whether the question of the first one stands above all columns */
  show(
    turns: readonly (Turn | StreamingTurn)[],
    leftOut: readonly string[],
    place: { readonly first: number; readonly sharesQuestion: boolean },
  ): void {
    this.list.beColumn(place);
    this.list.show(turns, leftOut);
    this.requestUpdate();
  }

  focusColumn(): void {
    this.querySelector<HTMLElement>('.column')?.focus({ preventScroll: true });
  }

  protected override willUpdate(): void {
    const isOffered = this.#last?.state === 'done' && this.#hasText;
    this.list.offerGoOn(isOffered ? (this.isBusy ? 'later' : 'now') : 'none');
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
          <span class="column-state">${stateWord(turn)}</span>
          <div class="column-tools">
            ${isRunning ? stopButton() : nothing}
            ${iconButton('diff', t(this.count > 2 ? 'Compare with…' : 'Compare in the Diff Editor'), 'open-differences', { disabled: isRunning })}
            ${iconButton('close', t('Close Column'), 'close-column', { disabled: this.isBusy })}
          </div>
        </div>
        ${this.list.element}
      </section>
    `;
  }

  /** Whether the last reply says anything to go on with. */
  get #hasText(): boolean {
    return this.list.last?.replies.some(({ text }) => text.length > 0) ?? false;
  }

  get #last(): Omit<Turn, 'replies'> | undefined {
    return this.list.last?.turn;
  }
}

/** With the icon of the message box's button. */
function stopButton(): TemplateResult {
  return html`
    <button type="button" class="icon-button" title=${t('Stop This Reply')} aria-label=${t('Stop This Reply')} data-action="stop-column">
      <span class="stop-icon" aria-hidden="true"></span>
    </button>
  `;
}

/** How far an answer is, in a word. */
function stateWord({ state, notice }: Omit<Turn, 'replies'>): string {
  if (state === 'waiting') return t('waiting');
  if (state === 'streaming') return t('arriving');
  return notice?.severity === 'error' ? t('failed') : '';
}

customElements.define('mg-column', ColumnElement);

declare global {
  interface HTMLElementTagNameMap {
    'mg-column': ColumnElement;
  }
}
