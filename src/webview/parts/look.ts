import { html, type TemplateResult } from 'lit';
import type { TaskLook } from '../../protocol/taskPage.ts';

const icons: Readonly<Record<TaskLook, string>> = {
  running: 'loading codicon-modifier-spin',
  attention: 'warning',
  completed: 'pass',
  failed: 'error',
  cancelled: 'circle-slash',
  unwatched: 'debug-pause',
};

/** The icon of what a task looks like. The words beside it say the same. */
export function lookIcon(look: TaskLook): TemplateResult {
  return html`<span class="codicon codicon-${icons[look]} look-${look}" aria-hidden="true"></span>`;
}
