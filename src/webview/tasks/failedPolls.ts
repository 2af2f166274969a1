import { html, nothing, type TemplateResult } from 'lit';
import type { FailedPollView } from '../../protocol/taskPage.ts';
import { shownText } from '../parts/shownText.ts';
import { t } from '../words/l10n.ts';
import { when } from '../words/times.ts';

/** The failed polls of a task, with time and reason. */
export function failedPollsView(
  polls: readonly FailedPollView[],
  open: boolean,
): TemplateResult | typeof nothing {
  if (polls.length === 0) return nothing;
  return html`
    <details class="fold" data-fold="polls" ?open=${open}>
      <summary>${t('Failed status checks ({0})', polls.length)}</summary>
      <ol class="polls">
        ${polls.map(({ at, text }) => html`<li><span class="poll-time">${when(at, Date.now())}</span> <span>${shownText(text)}</span></li>`)}
      </ol>
    </details>
  `;
}
