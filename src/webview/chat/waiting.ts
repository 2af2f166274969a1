import { html, type TemplateResult } from 'lit';
import './elapsed.ts';
import { t } from '../words/l10n.ts';

/** The line in place of a reply of which nothing has arrived. */
export function firstWaitView(waitedMs = 0): TemplateResult {
  return html`
    <div class="wait">
      <span class="codicon codicon-loading codicon-modifier-spin" aria-hidden="true"></span>
      <span class="wait-words">${t('Waiting for the reply to begin')}</span>
      <mg-elapsed .waitedBefore=${waitedMs} .words=${t('Still waiting for the reply to begin')}></mg-elapsed>
      ${stopButton()}
    </div>
  `;
}

/** The line below a reply that has stalled. Its place is kept while the reply arrives. */
export function stallView(waitedMs = 0): TemplateResult {
  return html`
    <div class="wait stall">
      <span class="wait-words">${t('Waiting')}</span>
      <mg-elapsed .waitedBefore=${waitedMs} .saidAfter=${10} .words=${t('Waiting for more of the reply')}></mg-elapsed>
      ${stopButton()}
    </div>
  `;
}

/** Stops the reply. The style sheet hides it until the wait has lasted a while. */
function stopButton(): TemplateResult {
  return html`<button type="button" class="text-button" data-action="stop">${t('Stop')}</button>`;
}
