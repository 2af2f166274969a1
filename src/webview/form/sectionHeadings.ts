import { html, nothing, type TemplateResult } from 'lit';

/** @param unused names of those that are set and that the API format does not take */
export function commonHeading(unused: readonly string[], hidden: boolean): TemplateResult {
  return html`
    <h2 class="section" ?hidden=${hidden}>
      Common <span class="section-note">Kept when the API format changes.</span>
    </h2>
    ${unused.length === 0 ? nothing : html`<p class="section-note unused">Not sent in this API format: ${unused.join(', ')}.</p>`}
  `;
}

/** Above the other parameters that are set, with their number. */
export function setHeading(count: number, hidden: boolean): TemplateResult {
  return html`
    <h2 class="section" ?hidden=${hidden}>
      Set (${count}) <span class="section-note">Only these are sent.</span>
    </h2>
  `;
}

/** Above those that are not set. */
export function moreHeading(hidden: boolean): TemplateResult {
  return html`<h2 class="section" ?hidden=${hidden}>More</h2>`;
}

/** What stands below a search that finds nothing. */
export function noneFound(hidden: boolean): TemplateResult {
  return html`<p class="none-found" ?hidden=${hidden}>No parameter matches. Add it as JSON under Other fields.</p>`;
}
