import { html, nothing, type TemplateResult } from 'lit';
import type { ChatTarget } from '../../protocol/chatPage.ts';
import { noticeView } from '../parts/notice.ts';

const examples = [
  'Explain what a model gateway does, in three sentences.',
  'Write a TypeScript function that retries a request with backoff, and explain it.',
  'Compare streaming and waiting for a whole reply, as a table.',
];

/** The content of an empty chat: its gateway and examples of questions, or what is missing. */
export function welcomeView({ notice, model }: ChatTarget): TemplateResult {
  if (notice && model === undefined) return html`<div class="welcome">${noticeView(notice)}</div>`;
  return html`
    <div class="welcome">
      <h1>Ask ${model ?? 'a model'}</h1>
      <p>The reply appears here as it is written. Nothing is sent before you send it.</p>
      ${notice ? noticeView(notice) : nothing}
      <div class="examples">
        ${examples.map((text) => html`<button type="button" class="example" data-action="example">${text}</button>`)}
      </div>
    </div>
  `;
}
