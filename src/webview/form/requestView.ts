import { html, nothing, type TemplateResult } from 'lit';
import { t } from '../words/l10n.ts';

/** The request as it will be sent, below a notice of what does not go along. */
export function requestView(
  json: string,
  omitted: readonly string[],
  copy: (event: Event) => void,
): TemplateResult {
  return html`
    ${omitted.length === 0 ? nothing : omittedView(omitted)}
    <div class="request">
      <button type="button" class="button secondary copy-request" @click=${copy}>
        <span class="codicon codicon-copy" aria-hidden="true"></span> ${t('Copy')}
      </button>
      <pre class="request-json" tabindex="0" role="region" aria-label=${t('Request as JSON')}>${json}</pre>
    </div>
  `;
}

/** Chooses the model for which the request is shown, where several are asked. */
export function modelPicker(
  models: readonly string[],
  nth: number,
  choose: (nth: number) => void,
): TemplateResult {
  return html`
    <label class="request-model">
      <span>${t('Request to')}</span>
      <select class="box" @change=${({ target }: Event) => target instanceof HTMLSelectElement && choose(target.selectedIndex)}>
        ${models.map((model, at) => html`<option ?selected=${at === nth} .selected=${at === nth}>${model}</option>`)}
      </select>
    </label>
  `;
}

function omittedView(omitted: readonly string[]): TemplateResult {
  return html`
    <div class="omitted">
      <span class="codicon codicon-warning" aria-hidden="true"></span>
      <div>
        <strong>${t('Some content is not sent')}</strong>
        <ul>
          ${omitted.map((each) => html`<li>${each}</li>`)}
        </ul>
      </div>
    </div>
  `;
}
