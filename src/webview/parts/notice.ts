import { html, nothing, type TemplateResult } from 'lit';
import type { Notice } from '../../protocol/notice.ts';
import { actionButtons } from './buttons.ts';
import { shownText } from './shownText.ts';

/** What happened, why, and the buttons that help: the first is the one to press. */
export function noticeView(notice: Notice<string>): TemplateResult {
  const { title, detail, severity, buttons, requestId, gatewayRequestId } = notice;
  return html`
    <div class="notice ${severity}">
      <span class="codicon codicon-${severity}" aria-hidden="true"></span>
      <div class="notice-text">
        <strong>${title}</strong>
        <span class="notice-detail">${shownText(detail)}</span>
        ${requestId === undefined ? nothing : requestIdView(requestId)}
        ${gatewayRequestId === undefined ? nothing : gatewayRequestIdView(gatewayRequestId)}
        ${buttons.length === 0 ? nothing : html`<div class="notice-buttons">${actionButtons(buttons, buttonClass)}</div>`}
      </div>
    </div>
  `;
}

/** The same where nobody copies the request ids: they are a part of the text. */
export function withPlainRequestIds<Action>(notice: Notice<Action>): Notice<Action> {
  const { requestId, gatewayRequestId, ...others } = notice;
  const theirs = gatewayRequestId === undefined ? '' : `, the gateway’s ${gatewayRequestId}`;
  return requestId === undefined
    ? others
    : { ...others, detail: `${others.detail} (request ${requestId}${theirs})` };
}

/** By this id the gateway's operator finds the request in their own logs. */
export function gatewayRequestIdView(id: string): TemplateResult {
  const words = `Gateway’s request ${id}`;
  return idView('copy-gateway-request-id', 'Copy the gateway’s own id of the request', words);
}

function requestIdView(id: string): TemplateResult {
  return idView('copy-request-id', 'Copy the request id', `Request ${id}`);
}

function idView(action: string, title: string, words: string): TemplateResult {
  return html`
    <button type="button" class="request-id" title=${title} data-action=${action}>
      ${words} <span class="codicon codicon-copy" aria-hidden="true"></span>
    </button>
  `;
}

function buttonClass(index: number): string {
  return index === 0 ? 'button' : 'button secondary';
}
