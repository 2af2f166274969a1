import { html, nothing, type TemplateResult } from 'lit';
import type { ImageView } from '../../protocol/chatTurn.ts';
import type { FramePosition } from '../../protocol/generatePage.ts';
import { renderProblem } from '../form/fieldViews.ts';
import { LightElement, property, state } from '../parts/lightElement.ts';
import '../parts/picture.ts';
import { t } from '../words/l10n.ts';

const frameNames: Readonly<Record<FramePosition, string>> = {
  first: t('First frame'),
  last: t('Last frame'),
};

const frameActions: Readonly<Record<FramePosition, { readonly replace: string; readonly remove: string }>> = {
  first: { replace: t('Replace First Frame'), remove: t('Remove First Frame') },
  last: { replace: t('Replace Last Frame'), remove: t('Remove Last Frame') },
};

/** `<mg-frame-drop-zone>`: the drop zone of a picture. The page handles clicks and drops. */
export class FrameDropZone extends LightElement.with({
  frame: property<FramePosition>(),
  image: property<ImageView | undefined>(),
  /** The problem of the picture, or of its absence. */
  problem: property<string | undefined>(),
  /** Whether something is being dragged over the drop zone. */
  isDragged: state(false),
}) {
  constructor() {
    super();
    this.addEventListener('dragover', () => this.#setDragged(true));
    this.addEventListener('dragleave', (event) => {
      if (!(event.relatedTarget instanceof Node && this.contains(event.relatedTarget)))
        this.#setDragged(false);
    });
    this.addEventListener('drop', () => this.#setDragged(false));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.isDragged = false;
  }

  focusControl(): void {
    this.querySelector<HTMLElement>('.drop-zone')?.focus();
  }

  protected override render(): TemplateResult {
    const name = frameNames[this.frame];
    const label = this.image ? frameActions[this.frame].replace : t('{0}: {1}', name, invitation);
    return html`
      <div class="drop-zone-head">
        <span class="field-name">${name}</span>
        ${this.image ? this.#renderRemoveButton() : nothing}
      </div>
      <button
        type="button"
        class="drop-zone ${this.isDragged ? 'dragged' : ''}"
        title=${t('{0} (hold Shift to drop)', label)}
        aria-label=${label}
        aria-describedby=${this.problem === undefined ? nothing : this.#problemId}
        data-action="attach-file"
        data-frame=${this.frame}
      >
        ${this.image ? html`<mg-picture .image=${this.image} .label=${name}></mg-picture>` : emptyZone}
      </button>
      ${this.problem === undefined ? nothing : renderProblem(this.#problemId, this.problem)}
    `;
  }

  get #problemId(): string {
    return `frame-${this.frame}-problem`;
  }

  /** Renders a button that moves the focus to the drop zone, because it disappears with the picture. */
  #renderRemoveButton(): TemplateResult {
    const label = frameActions[this.frame].remove;
    return html`
      <button type="button" class="icon-button" title=${label} aria-label=${label} data-action="detach" data-frame=${this.frame} @click=${() => this.focusControl()}>
        <span class="codicon codicon-close" aria-hidden="true"></span>
      </button>
    `;
  }

  #setDragged(isDragged: boolean): void {
    this.isDragged = isDragged;
  }
}

const invitation = t('Choose, paste or drop');

const emptyZone = html`
  <span class="codicon codicon-add" aria-hidden="true"></span>
  <span>${invitation}</span>
`;

customElements.define('mg-frame-drop-zone', FrameDropZone);
