import { html, nothing, type TemplateResult } from 'lit';
import type { TaskProgress } from '../../protocol/taskPage.ts';

/** The progress bar of a running task, without a value when it is unknown. */
export function progressView(progress: TaskProgress | undefined): TemplateResult {
  return html`
    <div class="task-progress">
      ${progressBar('Progress of the task', progress?.percent)}
      ${progress ? html`<span class="percent">${progressText(progress)}</span>` : nothing}
    </div>
  `;
}

export function progressBar(label: string, percent: number | undefined): TemplateResult {
  return html`<progress max="100" value=${percent ?? nothing} aria-label=${label}></progress>`;
}

/** Such as "60 %", or "about 60 %" where it is an estimate. */
export function progressText({ percent, estimated }: TaskProgress): string {
  const figure = `${Math.round(percent)} %`;
  return estimated ? `about ${figure}` : figure;
}
