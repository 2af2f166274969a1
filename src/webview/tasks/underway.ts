import { html, nothing, type TemplateResult } from 'lit';
import type { TaskView } from '../../protocol/taskPage.ts';
import { isUnderway } from '../parts/appearanceIcon.ts';
import { actionButtons } from '../parts/buttons.ts';
import '../parts/progress.ts';
import { LightElement, property } from '../parts/lightElement.ts';
import { Seconds } from '../parts/seconds.ts';
import { t } from '../words/l10n.ts';
import { duration } from '../words/times.ts';

/** What stands in the place of a result while a task runs: how far it is, what comes next, and its actions. */
export function underwayView(view: TaskView): TemplateResult | typeof nothing {
  const { tile, next, buttons, mainButtons } = view;
  if (!isUnderway(tile.appearance)) return nothing;
  return html`
    <section class="underway" aria-label=${tile.status}>
      <div class="underway-state">${t('{0} for', tile.status)} <mg-running-time .since=${tile.startedAt}></mg-running-time></div>
      <mg-progress class="task-progress" .progress=${tile.progress}></mg-progress>
      ${next === undefined ? nothing : html`<div class="underway-note">${next}</div>`}
      <div class="underway-buttons">${actionButtons(buttons.slice(0, mainButtons), () => 'button secondary')}</div>
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
    new Seconds(this);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    // Numbers that change every second are nothing to be read aloud.
    this.ariaHidden = 'true';
  }

  protected override render(): TemplateResult {
    const seconds = Math.max(0, Math.floor((Date.now() - this.since) / 1000));
    return html`${duration(seconds * 1000)}`;
  }
}

customElements.define('mg-running-time', RunningTimeElement);
