import { html, type TemplateResult } from 'lit';
import { t } from '../words/l10n.ts';

export type Tab = 'parameters' | 'request';

const tabs: readonly (readonly [Tab, string])[] = [
  ['parameters', t('Parameters')],
  ['request', t('Request')],
];

interface HeadEvents {
  readonly onShow: (tab: Tab) => void;
  readonly onKey: (event: KeyboardEvent) => void;
  readonly onClose: () => void;
}

/** The tabs of the parameters sheet, and the button that closes it. */
export function sheetHead(shown: Tab, events: HeadEvents): TemplateResult {
  return html`
    <div class="sheet-head">
      <div class="tabs" role="tablist" aria-label=${t('Parameters and request')} @keydown=${events.onKey}>
        ${tabs.map(([tab, label]) => tabButton(tab, label, shown === tab, events.onShow))}
      </div>
      <span class="spacer"></span>
      <button type="button" class="icon-button" title=${t('Close (Esc)')} aria-label=${t('Close')} @click=${events.onClose}>
        <span class="codicon codicon-close" aria-hidden="true"></span>
      </button>
    </div>
  `;
}

function tabButton(tab: Tab, label: string, selected: boolean, show: (tab: Tab) => void): TemplateResult {
  return html`
    <button
      type="button"
      class="tab"
      role="tab"
      id="tab-${tab}"
      aria-controls="panel-${tab}"
      aria-selected=${selected}
      tabindex=${selected ? 0 : -1}
      @click=${() => show(tab)}
    >
      ${label}
    </button>
  `;
}
