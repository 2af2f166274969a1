import { html, nothing, type TemplateResult } from 'lit';
import type { ReplyFigures, TurnView } from '../../../protocol/chatTurn.ts';
import { renderIconButton } from '../../parts/buttons.ts';
import { renderGatewayRequestId } from '../../parts/noticeView.ts';
import { formatNumber, t } from '../../words/l10n.ts';
import { formatExactSeconds } from '../../words/timeWords.ts';
import type { StreamingReply } from './streamingTurn.ts';
import { renderStall } from './waitingViews.ts';

/** The position of a turn in its chat. */
interface TurnPosition {
  readonly isLast: boolean;
  /** Whether a reply is arriving in the chat. */
  readonly isBusy: boolean;
  /** Whether it is in a column next to compared replies. */
  readonly isInColumn: boolean;
}

interface Figure {
  readonly text: string;
  readonly explanation: string;
}

/** Renders the row below a reply: its actions and figures, or the time without data while it arrives. */
export function renderReplyFoot(
  turn: Omit<TurnView, 'replies'>,
  replies: readonly StreamingReply[],
  position: TurnPosition,
): TemplateResult {
  return html`<div class="reply-foot">${renderFootContent(turn, replies, position)}</div>`;
}

/** Renders a button that copies a reply; nothing for a reply without text. */
export function renderCopyButton(reply: StreamingReply | undefined): TemplateResult | typeof nothing {
  return reply?.text.length ? renderIconButton('copy', t('Copy Reply'), 'copy-reply') : nothing;
}

function renderFootContent(
  { state, figures, notice, waitedMs, model }: Omit<TurnView, 'replies'>,
  [reply, ...others]: readonly StreamingReply[],
  { isLast, isBusy, isInColumn }: TurnPosition,
): TemplateResult | typeof nothing {
  if (state === 'waiting') return nothing;
  if (state === 'streaming') return renderStall(waitedMs);
  const isAgainOffered = isLast && notice?.buttons.some(({ action }) => action === 'again');
  return html`
    ${others.length === 0 ? renderCopyButton(reply) : nothing}
    ${isAgainOffered ? nothing : renderIconButton('refresh', t('Ask Again'), 'again', { isDisabled: isBusy })}
    ${reply?.text.length ? renderIconButton('edit', t('Edit Reply'), 'edit-reply') : nothing}
    ${model === '' ? nothing : renderReplyButtons(isBusy, isInColumn)}
    ${renderFigures(figures, isInColumn)}
  `;
}

/** Renders the buttons of a reply whose model is known. The model of an imported reply may be unknown. */
function renderReplyButtons(isBusy: boolean, isInColumn: boolean): TemplateResult {
  return html`
    ${isInColumn ? nothing : renderIconButton('git-compare', t('Compare Reply with Another Model…'), 'compare-reply', { isDisabled: isBusy })}
    ${renderIconButton('repo-forked', t('Fork Chat'), 'fork')}
    ${renderIconButton('trash', t('Delete Reply and Following Messages'), 'delete-reply', { isDisabled: isBusy })}
  `;
}

/**
 * Renders the line under a reply: its tokens, times, speed, end and cost. Each has a tooltip.
 *
 * @param isCompared whether it is next to other replies, where a missing cost would look like a cost of zero
 */
function renderFigures(figures: ReplyFigures, isCompared: boolean): TemplateResult | typeof nothing {
  const shownFigures = [...listFigures(figures), ...(isCompared ? listUnknownCost(figures) : [])];
  const id = figures.gatewayRequestId;
  if (shownFigures.length === 0 && id === undefined) return nothing;
  return html`
    <div class="figures">
      ${shownFigures.map(({ text, explanation }) => html`<span title=${explanation}>${text}</span>`)}
      ${id === undefined ? nothing : renderGatewayRequestId(id)}
    </div>
  `;
}

function listFigures(figures: ReplyFigures): readonly Figure[] {
  const { firstTokenMs, totalMs, tokensPerSecond, end, finishReason } = figures;
  return [
    ...listFigure(formatTokens(figures), (text) => text, explainTokens(figures)),
    ...listFigure(
      computeCachedShare(figures),
      (percent) => t('{0} % cached', percent),
      t('Share of the tokens in that the provider read from its cache'),
    ),
    ...listFigure(
      firstTokenMs,
      (ms) => t('first token {0}', formatExactSeconds(ms)),
      t('Time from sending to the first token'),
    ),
    ...listFigure(
      totalMs,
      (ms) => t('{0} total', formatExactSeconds(ms)),
      t('Time from sending to the end of the reply'),
    ),
    ...listFigure(
      tokensPerSecond,
      (rate) => t('{0} tok/s', Math.round(rate)),
      t('Tokens per second after the first token'),
    ),
    ...listFigure(end, (word) => word, explainEnd(finishReason)),
    ...(figures.cost ? [figures.cost] : []),
  ];
}

function listUnknownCost({ unknownCost: explanation }: ReplyFigures): readonly Figure[] {
  return explanation === undefined ? [] : [{ text: t('cost unknown'), explanation }];
}

function explainTokens(figures: ReplyFigures): string {
  const { cachedTokens, cacheWriteTokens, reasoningTokens, unknownCost } = figures;
  const parts = [
    ...formatPart(cachedTokens, (count) => t('{0} read from the cache', count)),
    ...formatPart(cacheWriteTokens, (count) => t('{0} written to the cache', count)),
    ...formatPart(reasoningTokens, (count) => t('{0} for reasoning', count)),
  ];
  return [
    t('In: the question and the conversation before it. Out: the reply.'),
    ...(parts.length > 0 ? [t('Of these tokens: {0}.', parts.join(t(', ')))] : []),
    ...(unknownCost === undefined ? [] : [unknownCost]),
  ].join('\n');
}

function formatPart(count: number | undefined, format: (count: string) => string): readonly string[] {
  return count ? [format(formatNumber(count))] : [];
}

/** Returns the percentage of cached input tokens; undefined if it is 0, or if the counts contradict each other. */
function computeCachedShare({ inputTokens = 0, cachedTokens = 0 }: ReplyFigures): number | undefined {
  if (cachedTokens <= 0) return undefined;
  // Some gateways report the input without its cached part.
  const total = cachedTokens > inputTokens ? inputTokens + cachedTokens : inputTokens;
  return Math.max(1, Math.round((cachedTokens / total) * 100));
}

/** Formats the tokens, such as "19 tokens in, 172 out"; undefined if neither was reported. */
function formatTokens({ inputTokens, outputTokens, isOutputPartial }: ReplyFigures): string | undefined {
  if (inputTokens === undefined)
    return outputTokens === undefined ? undefined : formatOutputTokens(outputTokens, isOutputPartial);
  const inCount = formatNumber(inputTokens);
  const isOne = inputTokens === 1;
  if (outputTokens === undefined) return t(isOne ? '{0} token in' : '{0} tokens in', inCount);
  const outCount = formatNumber(outputTokens);
  return isOutputPartial
    ? t(isOne ? '{0} token in, at least {1} out' : '{0} tokens in, at least {1} out', inCount, outCount)
    : t(isOne ? '{0} token in, {1} out' : '{0} tokens in, {1} out', inCount, outCount);
}

function formatOutputTokens(count: number, isPartial: boolean | undefined): string {
  const isOne = count === 1;
  return isPartial
    ? t(isOne ? 'at least {0} token out' : 'at least {0} tokens out', formatNumber(count))
    : t(isOne ? '{0} token out' : '{0} tokens out', formatNumber(count));
}

function explainEnd(finishReason: string | undefined): string {
  return finishReason === undefined
    ? t('Finish reason')
    : t('Finish reason reported by the provider: {0}', finishReason);
}

/** Returns a list with one figure; empty without a value. */
function listFigure<Value>(
  value: Value | undefined,
  format: (value: Value) => string,
  explanation: string,
): readonly Figure[] {
  return value === undefined ? [] : [{ text: format(value), explanation }];
}
