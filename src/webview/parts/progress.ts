import { html, nothing, type TemplateResult } from 'lit';
import { percentAt, type TaskProgress } from '../../base/taskProgress.ts';
import { t } from '../words/l10n.ts';
import { progressSource, progressText } from '../words/progress.ts';
import { LightElement, property } from './lightElement.ts';
import { Seconds } from './seconds.ts';

/** `<mg-progress>`: the progress of a running task. An estimate grows with time. */
class ProgressElement extends LightElement.with({
  /** Undefined while nobody knows. */
  progress: property<TaskProgress | undefined>(),
}) {
  constructor() {
    super();
    new Seconds(this);
  }

  protected override render(): TemplateResult {
    const { progress } = this;
    const now = Date.now();
    return html`
      ${progressBar(t('Progress of the task'), progress && percentAt(progress, now))}
      ${progress ? progressNote(progress, now) : nothing}
    `;
  }
}

/** How far it is, and below it whose figure that is. */
function progressNote(progress: TaskProgress, now: number): TemplateResult {
  return html`
    <span class="percent">${progressText(progress, now)}</span>
    <span class="progress-source">${progressSource(progress, now)}</span>
  `;
}

export function progressBar(label: string, percent: number | undefined): TemplateResult {
  return html`<progress max="100" value=${percent ?? nothing} aria-label=${label}></progress>`;
}

customElements.define('mg-progress', ProgressElement);
