import { html, nothing, type TemplateResult } from 'lit';
import type { ReplyFigures } from '../../protocol/chatPage.ts';
import { gatewayRequestIdView } from '../parts/notice.ts';
import { exactSeconds } from '../words/times.ts';

interface Figure {
  readonly text: string;
  readonly explanation: string;
}

/** The line under a reply: tokens, time to first token, speed, finish reason. Each has a tooltip. */
export function figuresView(figures: ReplyFigures): TemplateResult | typeof nothing {
  const shown = figuresOf(figures);
  const id = figures.gatewayRequestId;
  if (shown.length === 0 && id === undefined) return nothing;
  return html`
    <div class="figures">
      ${shown.map(({ text, explanation }) => html`<span title=${explanation}>${text}</span>`)}
      ${id === undefined ? nothing : gatewayRequestIdView(id)}
    </div>
  `;
}

function figuresOf(figures: ReplyFigures): readonly Figure[] {
  const { inputTokens, outputTokens, firstTokenMs, totalMs, tokensPerSecond, finishReason } = figures;
  return [
    ...figure(inputTokens, (n) => `${count(n)} in`, 'Tokens of the question and the conversation before it'),
    ...figure(outputTokens, (n) => `${count(n)} out`, 'Tokens the model wrote'),
    ...figure(firstTokenMs, (ms) => `first token ${exactSeconds(ms)}`, 'From sending to the first word'),
    ...figure(totalMs, (ms) => `${exactSeconds(ms)} in all`, 'From sending to the end of the reply'),
    ...figure(
      tokensPerSecond,
      (n) => `${Math.round(n)} tok/s`,
      'Tokens written a second, after the first word',
    ),
    ...(finishReason
      ? [{ text: finishReason, explanation: 'Why the reply ended, in the provider’s own word' }]
      : []),
  ];
}

function figure(
  value: number | undefined,
  show: (value: number) => string,
  explanation: string,
): readonly Figure[] {
  return value === undefined ? [] : [{ text: show(value), explanation }];
}

function count(value: number): string {
  return value.toLocaleString('en');
}
