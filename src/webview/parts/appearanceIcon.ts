import { html, type TemplateResult } from 'lit';
import type { TaskAppearance } from '../../protocol/taskPage.ts';

const icons: Readonly<Record<TaskAppearance, string>> = {
  queued: 'history',
  running: 'loading codicon-modifier-spin',
  downloading: 'cloud-download',
  attention: 'warning',
  completed: 'pass',
  empty: 'circle-large-outline',
  failed: 'error',
  cancelled: 'circle-slash',
  unwatched: 'debug-pause',
};

/**
 * Renders the icon of a task's appearance. It is hidden from screen readers, because the text next to it has the same
 * meaning.
 */
export function renderAppearanceIcon(appearance: TaskAppearance): TemplateResult {
  return html`<span class="codicon codicon-${icons[appearance]} appearance-${appearance}" aria-hidden="true"></span>`;
}

/** Whether the task is queued or running at the gateway. */
export function isUnderway(appearance: TaskAppearance): boolean {
  return appearance === 'queued' || appearance === 'running';
}
