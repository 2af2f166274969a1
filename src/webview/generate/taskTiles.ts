import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { computePercent } from '../../base/taskProgress.ts';
import type { MediaView, TaskTile } from '../../protocol/taskPage.ts';
import { renderText } from '../markdown/dom.ts';
import { renderAppearanceIcon } from '../parts/appearanceIcon.ts';
import { SecondTimer } from '../parts/elementControllers.ts';
import { LightElement, property, state } from '../parts/lightElement.ts';
import { repeat } from '../parts/repeat.ts';
import { t } from '../words/l10n.ts';
import { formatProgress } from '../words/taskWords.ts';
import { formatAge, formatLongDateTime } from '../words/timeWords.ts';

const minuteMs = 60_000;

const emptyList = html`
  <div class="tiles-empty">
    <span class="codicon codicon-device-camera-video" aria-hidden="true"></span>
    <p>${t('Your videos appear here as soon as their requests are sent.')}</p>
  </div>
`;

/** `<mg-tiles>`: the newest tasks. Updates their ages every minute. */
class TilesElement extends LightElement.with({
  tiles: property<readonly TaskTile[]>(),
}) {
  #timer: ReturnType<typeof setInterval> | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    this.#timer = setInterval(() => this.requestUpdate(), minuteMs);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#timer);
  }

  protected override render(): TemplateResult {
    const now = Date.now();
    if (this.tiles.length === 0) return emptyList;
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

/** `<mg-tile>`: a task as a button with its first result, or its state. */
class TileElement extends LightElement.with({
  tile: property<TaskTile>(),
  /** Milliseconds since 1970. */
  now: property<number>(),
  /** Whether the browser failed to show the result. */
  isBroken: state(false),
}) {
  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('tile') || changed.get('tile')?.media?.src === this.tile.media?.src) return;
    this.isBroken = false;
  }

  protected override render(): TemplateResult {
    const { appearance, status, model, prompt, startedAt, media } = this.tile;
    const poster = media && media.kind !== 'audio' && !this.isBroken ? this.#renderPoster(media) : undefined;
    return html`
      <button type="button" class="tile" data-action="open-task" data-key=${this.tile.key}>
        <span class="tile-picture">${poster ?? html`<mg-tile-state .tile=${this.tile}></mg-tile-state>`}</span>
        <span class="tile-prompt">${prompt === '' ? t('No prompt') : renderText(prompt)}</span>
        <span class="tile-facts">
          ${poster ? html`<span class="tile-status" title=${status}>${renderAppearanceIcon(appearance)}<span class="visually-hidden">${t('{0},', status)}</span></span>` : ''}
          <span class="tile-model">${renderText(model)}</span>
          <span class="visually-hidden">${t(', started')}</span>
          <span class="tile-age" title=${formatLongDateTime(startedAt)}>${formatAge(startedAt, this.now)}</span>
        </span>
      </button>
    `;
  }

  #renderPoster({ kind, src }: MediaView): TemplateResult {
    const onError = () => {
      this.isBroken = true;
    };
    if (kind === 'image') return html`<img src=${src} alt="" loading="lazy" @error=${onError}>`;
    return html`<video src=${src} preload="metadata" .muted=${true} aria-hidden="true" disablepictureinpicture @error=${onError}></video>`;
  }
}

/** `<mg-tile-state>`: the content of a tile without a picture. An estimate grows with time. */
class TileStateElement extends LightElement.with({
  tile: property<TaskTile>(),
}) {
  constructor() {
    super();
    new SecondTimer(this);
  }

  protected override render(): TemplateResult {
    const { appearance, status, progress, reportedStatus } = this.tile;
    const now = Date.now();
    const percent = progress && computePercent(progress, now);
    return html`
      ${renderAppearanceIcon(appearance)}
      <span class="tile-state" title=${reportedStatus ?? nothing}>${status}${progress ? html` · ${formatProgress(progress, now)}` : nothing}</span>
      ${percent === undefined ? nothing : html`<progress max="100" value=${percent} aria-hidden="true"></progress>`}
    `;
  }
}

customElements.define('mg-tile-state', TileStateElement);
customElements.define('mg-tile', TileElement);
customElements.define('mg-tiles', TilesElement);
