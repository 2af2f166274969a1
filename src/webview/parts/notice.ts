import { html, nothing, type TemplateResult } from 'lit';
import type { ReplyNotice } from '../../protocol/chatPage.ts';

/** What happened, why, and the buttons that help: the first is the one to press. */
export function noticeView(notice: ReplyNotice): TemplateResult {
  const icon = notice.severity === 'error' ? 'error' : 'info';
  return html`
    <div class="notice ${notice.severity}">
      <span class="codicon codicon-${icon}" aria-hidden="true"></span>
      <div class="notice-text">
        <strong>${notice.title}</strong>
        <span>${notice.detail}</span>
        ${notice.requestId === undefined ? nothing : requestId(notice.requestId)}
        ${notice.gatewayRequestId === undefined ? nothing : gatewayRequestId(notice.gatewayRequestId)}
        <div class="notice-buttons">
          ${notice.actions.map(
            ({ action, label }, index) =>
              html`<button type="button" class=${index === 0 ? 'button' : 'button secondary'} data-action=${action}>${label}</button>`,
          )}
        </div>
      </div>
    </div>
  `;
}

function requestId(id: string): TemplateResult {
  return html`
    <button type="button" class="request-id" title="Copy the request id" data-action="copy-request-id">
      Request ${id} <span class="codicon codicon-copy" aria-hidden="true"></span>
    </button>
  `;
}

/** By this id the gateway's operator finds the request in their own logs. */
export function gatewayRequestId(id: string): TemplateResult {
  return html`
    <button
      type="button"
      class="request-id"
      title="Copy the gateway’s own id of the request"
      data-action="copy-gateway-request-id"
    >
      Gateway’s request ${id} <span class="codicon codicon-copy" aria-hidden="true"></span>
    </button>
  `;
}
