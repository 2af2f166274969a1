import { html, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { TaskTile } from '../../protocol/taskPage.ts';
import { LightElement, property } from '../parts/lightElement.ts';
import './tile.ts';
import { t } from '../words/l10n.ts';

const minute = 60_000;

/** `<mg-tiles>`: the newest tasks. It refreshes their ages. */
class TilesElement extends LightElement.with({
  tiles: property<readonly TaskTile[]>(),
}) {
  #timer: ReturnType<typeof setInterval> | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    this.#timer = setInterval(() => this.requestUpdate(), minute);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#timer);
  }

  protected override render(): TemplateResult {
    const now = Date.now();
    if (this.tiles.length === 0) return empty;
    return html`
      <ul class="tiles" aria-label=${t('Newest')}>
        ${repeat(
          this.tiles,
          ({ key }) => key,
          (tile) => html`<li><mg-tile .tile=${tile} .now=${now}></mg-tile></li>`,
        )}
      </ul>
    `;
  }
}

const empty = html`
  <div class="tiles-empty">
    <span class="codicon codicon-device-camera-video" aria-hidden="true"></span>
    <p>${t('Your videos appear here as soon as they are sent.')}</p>
  </div>
`;

customElements.define('mg-tiles', TilesElement);
