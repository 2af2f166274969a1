import { html, nothing, type TemplateResult } from 'lit';
import { percentAt } from '../../base/taskProgress.ts';
import type { TaskTile } from '../../protocol/taskPage.ts';
import { appearanceIcon } from '../parts/appearanceIcon.ts';
import { LightElement, property } from '../parts/lightElement.ts';
import { Seconds } from '../parts/seconds.ts';
import { progressText } from '../words/progress.ts';

/** `<mg-tile-state>`: what a tile shows without a picture. An estimate grows with time. */
class TileStateElement extends LightElement.with({
  tile: property<TaskTile>(),
}) {
  constructor() {
    super();
    new Seconds(this);
  }

  protected override render(): TemplateResult {
    const { appearance, status, progress, providersWord } = this.tile;
    const now = Date.now();
    const percent = progress && percentAt(progress, now);
    return html`
      ${appearanceIcon(appearance)}
      <span class="tile-state" title=${providersWord ?? nothing}>${status}${progress ? html` · ${progressText(progress, now)}` : nothing}</span>
      ${percent === undefined ? nothing : html`<progress max="100" value=${percent} aria-hidden="true"></progress>`}
    `;
  }
}

customElements.define('mg-tile-state', TileStateElement);
