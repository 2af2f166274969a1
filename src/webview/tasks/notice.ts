import { html, nothing, type TemplateResult } from 'lit';
import type { TaskNotice } from '../../protocol/taskPage.ts';
import { shownText } from '../parts/shownText.ts';
import { buttonsView } from './buttons.ts';

/** What went wrong, why, and the buttons that help: the first is the one to press. */
export function noticeView({ title, detail, severity, buttons }: TaskNotice): TemplateResult {
  return html`
    <div class="notice ${severity} task-notice">
      <span class="codicon codicon-${severity}" aria-hidden="true"></span>
      <div class="notice-text">
        <strong>${title}</strong>
        <span class="notice-detail">${shownText(detail)}</span>
        ${buttons.length === 0 ? nothing : html`<div class="notice-buttons">${buttonsView(buttons, buttonClass)}</div>`}
      </div>
    </div>
  `;
}

function buttonClass(index: number): string {
  return index === 0 ? 'button' : 'button secondary';
}
