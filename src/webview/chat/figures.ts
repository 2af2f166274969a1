import { html, nothing, type TemplateResult } from 'lit';
import type { ReplyFigures } from '../../protocol/chatTurn.ts';
import { gatewayRequestIdView } from '../parts/notice.ts';
import { counted } from '../words/counted.ts';
import { exactSeconds } from '../words/times.ts';

interface Figure {
  readonly text: string;
  readonly explanation: string;
}

/**
 * The line under a reply: tokens, times, speed, how it ended, and what it cost. Each has a tooltip.
 *
 * @param isCompared whether it stands beside others: there a missing cost would be taken for none
 */
export function figuresView(
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
    ...figure(firstTokenMs, (ms) => `first token ${exactSeconds(ms)}`, 'From sending to the first word'),
    ...figure(totalMs, (ms) => `${exactSeconds(ms)} in all`, 'From sending to the end of the reply'),
    ...figure(
      tokensPerSecond,
      (n) => `${Math.round(n)} tok/s`,
      'Tokens written a second, after the first word',
    ),
    ...figure(end, (word) => word, endExplanation(finishReason)),
    ...(figures.cost ? [figures.cost] : []),
  ];
}

function unknownCost({ unknownCost: explanation }: ReplyFigures): readonly Figure[] {
  return explanation === undefined ? [] : [{ text: 'cost unknown', explanation }];
}

function tokensExplanation(figures: ReplyFigures): string {
  const { cachedTokens, cacheWriteTokens, reasoningTokens, unknownCost } = figures;
  const parts = [
    ...part(cachedTokens, 'read from the cache'),
    ...part(cacheWriteTokens, 'written to the cache'),
    ...part(reasoningTokens, 'of reasoning'),
  ];
  return [
    'In: the question and the conversation before it. Out: what the model wrote.',
    ...(parts.length > 0 ? [`Among them: ${parts.join(', ')}.`] : []),
    ...(unknownCost === undefined ? [] : [unknownCost]),
  ].join('\n');
}

function part(count: number | undefined, what: string): readonly string[] {
  return count ? [`${count.toLocaleString('en')} ${what}`] : [];
}

/** Such as "19 tokens in, 172 out"; undefined when neither was told. */
function tokens({ inputTokens, outputTokens, outputIsPartial }: ReplyFigures): string | undefined {
  const least = outputIsPartial ? 'at least ' : '';
  if (inputTokens === undefined) {
    return outputTokens === undefined ? undefined : `${least}${counted(outputTokens, 'token')} out`;
  }
  const out = outputTokens === undefined ? '' : `, ${least}${outputTokens.toLocaleString('en')} out`;
  return `${counted(inputTokens, 'token')} in${out}`;
}

function endExplanation(finishReason: string | undefined): string {
  const how = 'How the reply ended';
  return finishReason === undefined ? how : `${how}, in the provider’s own word: ${finishReason}`;
}

function figure<Value>(
  value: Value | undefined,
  show: (value: Value) => string,
  explanation: string,
): readonly Figure[] {
  return value === undefined ? [] : [{ text: show(value), explanation }];
}
