import { html, nothing, type TemplateResult } from 'lit';
import type { Notice } from '../../protocol/pageMessage.ts';
import { renderText } from '../markdown/dom.ts';
import { t } from '../words/l10n.ts';
import { renderActionButtons } from './buttons.ts';

/** Renders a notice. Its first button is the main button, unless `hasMainButton` is false. */
export function renderNotice(notice: Notice<string>, { hasMainButton = true } = {}): TemplateResult {
  const { title, detail, severity, buttons, requestId, gatewayRequestId } = notice;
  return html`
    <div class="notice ${severity}">
      <span class="codicon codicon-${severity}" aria-hidden="true"></span>
      <div class="notice-text">
        <strong>${renderText(title)}</strong>
        ${detail === '' ? nothing : html`<span class="notice-detail">${renderText(detail)}</span>`}
        ${requestId === undefined ? nothing : renderRequestId(requestId)}
        ${gatewayRequestId === undefined ? nothing : renderGatewayRequestId(gatewayRequestId)}
        ${buttons.length === 0 ? nothing : html`<div class="notice-buttons">${renderActionButtons(buttons, (index) => chooseButtonClass(hasMainButton && index === 0))}</div>`}
      </div>
    </div>
  `;
}

/** Adds the request ids to the text of a notice, for pages that cannot copy them. */
export function addRequestIds<Action>(notice: Notice<Action>): Notice<Action> {
  const { requestId, gatewayRequestId, ...others } = notice;
  if (requestId === undefined) return others;
  const detail =
    gatewayRequestId === undefined
      ? t('{0} (request {1})', others.detail, requestId)
      : t('{0} (request {1}, the gateway’s {2})', others.detail, requestId, gatewayRequestId);
  return { ...others, detail: detail.trimStart() };
}

/** Renders the gateway's request id, which its operator needs to find the request. */
export function renderGatewayRequestId(id: string): TemplateResult {
  const text = t('Gateway’s request {0}', id);
  return renderCopyableId('copy-gateway-request-id', t('Copy the Gateway’s Request ID'), text);
}

function renderRequestId(id: string): TemplateResult {
  return renderCopyableId('copy-request-id', t('Copy Request ID'), t('Request {0}', id));
}

function renderCopyableId(action: string, title: string, text: string): TemplateResult {
  return html`
    <button type="button" class="request-id" title=${title} data-action=${action}>
      ${text} <span class="codicon codicon-copy" aria-hidden="true"></span>
    </button>
  `;
}

function chooseButtonClass(isMain: boolean): string {
  return isMain ? 'button' : 'button secondary';
}

/**
 * Renders a problem of the text in a box, to be shown above the box.
 *
 * @param icon `info` for a message that is not an error
 */
export function renderBoxProblem(text: string, icon: 'error' | 'info' = 'error'): TemplateResult {
  return html`<div class="composer-problem" role="alert"><span class="codicon codicon-${icon}" aria-hidden="true"></span> ${text}</div>`;
}
