import { html, nothing, type TemplateResult } from 'lit';
import type { ReplyFigures, Turn } from '../../protocol/chatTurn.ts';
import { iconButton } from '../parts/buttons.ts';
import { gatewayRequestIdView } from '../parts/notice.ts';
import { numberWords, t } from '../words/l10n.ts';
import { exactSeconds } from '../words/times.ts';
import type { StreamingReply } from './streamingTurn.ts';
import { stallView } from './waiting.ts';

/** Where a turn stands in its chat. */
interface FootPlace {
  readonly isLast: boolean;
  /** Whether a reply arrives in the chat. */
  readonly isBusy: boolean;
  /** Whether it stands beside others that are compared. */
  readonly inColumn: boolean;
}

interface Figure {
  readonly text: string;
  readonly explanation: string;
}

/** The row below a reply: its actions and figures, or while it arrives, that nothing came for a while. */
export function replyFoot(
  turn: Omit<Turn, 'replies'>,
  replies: readonly StreamingReply[],
  place: FootPlace,
): TemplateResult {
  return html`<div class="reply-foot">${footContent(turn, replies, place)}</div>`;
}

/** A button that copies a reply; none for a reply without text. */
export function copyButton(reply: StreamingReply | undefined): TemplateResult | typeof nothing {
  return reply?.text.length ? iconButton('copy', t('Copy Reply'), 'copy-reply') : nothing;
}

function footContent(
  { state, figures, notice, waitedMs, model }: Omit<Turn, 'replies'>,
  [reply, ...others]: readonly StreamingReply[],
  { isLast, isBusy, inColumn }: FootPlace,
): TemplateResult | typeof nothing {
  if (state === 'waiting') return nothing;
  if (state === 'streaming') return stallView(waitedMs);
  const isOffered = isLast && notice?.buttons.some(({ action }) => action === 'again');
  return html`
    ${others.length === 0 ? copyButton(reply) : nothing}
    ${isOffered ? nothing : iconButton('refresh', t('Ask Again'), 'again', { disabled: isBusy })}
    ${reply?.text.length ? iconButton('edit', t('Edit Reply'), 'edit-answer') : nothing}
    ${model === '' ? nothing : answerButtons(isBusy, inColumn)}
    ${figuresView(figures, { isCompared: inColumn })}
  `;
}

/** Nobody was asked for a reply that is missing. */
function answerButtons(isBusy: boolean, inColumn: boolean): TemplateResult {
  return html`
    ${inColumn ? nothing : iconButton('git-compare', t('Compare Reply with Another Model…'), 'compare-answer', { disabled: isBusy })}
    ${iconButton('repo-forked', t('Fork Chat'), 'fork')}
    ${iconButton('trash', t('Delete Reply and Following Messages'), 'delete-answer', { disabled: isBusy })}
  `;
}

/**
 * The line under a reply: tokens, times, speed, how it ended, and what it cost. Each has a tooltip.
 *
 * @param isCompared whether it stands beside others: there a missing cost would be taken for none
 */
function figuresView(
  figures: ReplyFigures,
  { isCompared }: { readonly isCompared: boolean },
): TemplateResult | typeof nothing {
  const shown = [...figuresOf(figures), ...(isCompared ? unknownCost(figures) : [])];
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
  const { firstTokenMs, totalMs, tokensPerSecond, end, finishReason } = figures;
  return [
    ...figure(tokens(figures), (text) => text, tokensExplanation(figures)),
    ...figure(
      firstTokenMs,
      (ms) => t('first token {0}', exactSeconds(ms)),
      t('From sending to the first word'),
    ),
    ...figure(totalMs, (ms) => t('{0} total', exactSeconds(ms)), t('From sending to the end of the reply')),
    ...figure(
      tokensPerSecond,
      (n) => t('{0} tok/s', Math.round(n)),
      t('Tokens per second, after the first word'),
    ),
    ...figure(end, (word) => word, endExplanation(finishReason)),
    ...(figures.cost ? [figures.cost] : []),
  ];
}

function unknownCost({ unknownCost: explanation }: ReplyFigures): readonly Figure[] {
  return explanation === undefined ? [] : [{ text: t('cost unknown'), explanation }];
}

function tokensExplanation(figures: ReplyFigures): string {
  const { cachedTokens, cacheWriteTokens, reasoningTokens, unknownCost } = figures;
  const parts = [
    ...part(cachedTokens, (count) => t('{0} read from the cache', count)),
    ...part(cacheWriteTokens, (count) => t('{0} written to the cache', count)),
    ...part(reasoningTokens, (count) => t('{0} of reasoning', count)),
  ];
  return [
    t('In: the question and the conversation before it. Out: the reply.'),
    ...(parts.length > 0 ? [t('Of these: {0}.', parts.join(t(', ')))] : []),
    ...(unknownCost === undefined ? [] : [unknownCost]),
  ].join('\n');
}

function part(count: number | undefined, words: (count: string) => string): readonly string[] {
  return count ? [words(numberWords(count))] : [];
}

/** Such as "19 tokens in, 172 out"; undefined when neither was told. */
function tokens({ inputTokens, outputTokens, outputIsPartial: least }: ReplyFigures): string | undefined {
  if (inputTokens === undefined)
    return outputTokens === undefined ? undefined : tokensOut(outputTokens, least);
  const given = numberWords(inputTokens);
  const isOne = inputTokens === 1;
  if (outputTokens === undefined) return t(isOne ? '{0} token in' : '{0} tokens in', given);
  const out = numberWords(outputTokens);
  return least
    ? t(isOne ? '{0} token in, at least {1} out' : '{0} tokens in, at least {1} out', given, out)
    : t(isOne ? '{0} token in, {1} out' : '{0} tokens in, {1} out', given, out);
}

function tokensOut(count: number, least: boolean | undefined): string {
  const isOne = count === 1;
  return least
    ? t(isOne ? 'at least {0} token out' : 'at least {0} tokens out', numberWords(count))
    : t(isOne ? '{0} token out' : '{0} tokens out', numberWords(count));
}

function endExplanation(finishReason: string | undefined): string {
  return finishReason === undefined
    ? t('Finish reason')
    : t('Finish reason of the provider: {0}', finishReason);
}

function figure<Value>(
  value: Value | undefined,
  show: (value: Value) => string,
  explanation: string,
): readonly Figure[] {
  return value === undefined ? [] : [{ text: show(value), explanation }];
}
