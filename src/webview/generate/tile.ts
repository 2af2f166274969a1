import { html, type PropertyValues, type TemplateResult } from 'lit';
import type { MediaView, TaskTile } from '../../protocol/taskPage.ts';
import { appearanceIcon } from '../parts/appearanceIcon.ts';
import { LightElement, property, state } from '../parts/lightElement.ts';
import { shownText } from '../parts/shownText.ts';
import { absoluteTime, ageOf } from '../words/times.ts';
import './tileState.ts';
import { t } from '../words/l10n.ts';

/** `<mg-tile>`: a task as a button with its first picture, or its state. */
class TileElement extends LightElement.with({
  tile: property<TaskTile>(),
  /** Milliseconds since 1970. */
  now: property<number>(),
  /** Whether the browser failed to show the result. */
  broken: state(false),
}) {
  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('tile') || changed.get('tile')?.media?.src === this.tile.media?.src) return;
    this.broken = false;
  }

  protected override render(): TemplateResult {
    const { appearance, status, model, prompt, startedAt, media } = this.tile;
    const poster = media && media.kind !== 'audio' && !this.broken ? this.#poster(media) : undefined;
    return html`
      <button type="button" class="tile" data-action="open-task" data-key=${this.tile.key}>
        <span class="tile-picture">${poster ?? html`<mg-tile-state .tile=${this.tile}></mg-tile-state>`}</span>
        <span class="tile-prompt">${prompt === '' ? t('No prompt') : shownText(prompt)}</span>
        <span class="tile-facts">
          ${poster ? html`<span class="tile-status" title=${status}>${appearanceIcon(appearance)}<span class="visually-hidden">${t('{0},', status)}</span></span>` : ''}
          <span class="tile-model">${shownText(model)}</span>
          <span class="visually-hidden">${t(', started')}</span>
          <span class="tile-age" title=${absoluteTime(startedAt)}>${ageOf(startedAt, this.now)}</span>
        </span>
      </button>
    `;
  }

  #poster({ kind, src }: MediaView): TemplateResult {
    const failed = () => {
      this.broken = true;
    };
    if (kind === 'image') return html`<img src=${src} alt="" loading="lazy" @error=${failed}>`;
    return html`<video src=${src} preload="metadata" .muted=${true} aria-hidden="true" disablepictureinpicture @error=${failed}></video>`;
  }
}

customElements.define('mg-tile', TileElement);
