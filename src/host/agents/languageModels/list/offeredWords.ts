import * as vscode from 'vscode';
import type { Model } from '../../../../wire/apis/models/modelList.ts';
import type { TokenRates } from '../../../../wire/apis/models/tokenPrice.ts';
import { type TextFormatId, textFormat } from '../../../../wire/apis/textFormats.ts';
import { failureMessage } from '../../../connection/failureMessage.ts';
import type { GatewayState } from '../../../connection/gatewayConnection.ts';
import { escapeMarkdown, lineBreak } from '../../../kit/display/plainText.ts';
import { shortTokenPrice } from '../../../models/modelFigures.ts';
import type { FactSource, OfferedFacts, Sourced } from './offeredFacts.ts';

/** The price of an offered model, with its source. */
export type OfferedPrice = Sourced<TokenRates>;

function sourceWords(source: FactSource): string {
  switch (source) {
    case 'user':
      return vscode.l10n.t('your setting');
    case 'verification':
      return vscode.l10n.t('verified');
    case 'gateway':
      return vscode.l10n.t('reported by the gateway');
    case 'family':
      return vscode.l10n.t('inferred from the model family');
    case 'default':
      return vscode.l10n.t('assumed');
  }
}

const maxLinesLength = 2000;
/** The most texts in each cache. A full cache is cleared. */
const maxCached = 10_000;

/**
 * Creates the texts about offered models. Thousands of models share a few hundred prices and limits, so their texts
 * are cached.
 */
export class OfferedWords {
  readonly #priceTexts = new Map<string, string>();
  readonly #lineTexts = new Map<string, string>();

  /** The price of input and of output, in dollars. */
  priceText(price: TokenRates): string {
    return reuseText(this.#priceTexts, `${price.input}/${price.output}`, () =>
      vscode.l10n.t('{0} per million tokens', shortTokenPrice(price, vscode.env.language)),
    );
  }

  /**
   * All facts about a model as Markdown, each on a line with its source. VS Code shows the model's name above them.
   */
  factsMarkdown(
    { id, name = id, owner }: Model,
    facts: OfferedFacts,
    format: Sourced<TextFormatId>,
    price: Sourced<string> | undefined,
  ): string {
    const { contextLength, maxOutput, tools, pictures, reasoning, family } = facts;
    const shared = [contextLength, maxOutput, tools, pictures, reasoning, format];
    let key = `${price?.value} ${price?.source}`;
    for (const { value, source } of shared) key += ` ${value} ${source}`;
    const sharedText = reuseText(this.#lineTexts, key, () =>
      escapeMarkdown(sharedFactLines(facts, format, price), maxLinesLength),
    );
    const ownerLines = owner === '' ? [] : [this.#ownerLine(owner)];
    const idLines = name === id ? [] : [escapeMarkdown(id, maxLinesLength)];
    return [...idLines, ...ownerLines, this.#familyLine(family), sharedText].join(lineBreak);
  }

  #ownerLine(owner: string): string {
    return reuseText(this.#lineTexts, `owner ${owner}`, () =>
      escapeMarkdown(vscode.l10n.t('Owner: {0}', owner), maxLinesLength),
    );
  }

  #familyLine(family: Sourced<string>): string {
    return reuseText(this.#lineTexts, `${family.source} ${family.value}`, () =>
      escapeMarkdown(sourcedLine(family, vscode.l10n.t('Family: {0}', family.value)), maxLinesLength),
    );
  }
}

function sharedFactLines(
  { contextLength, maxOutput, tools, pictures, reasoning }: OfferedFacts,
  format: Sourced<TextFormatId>,
  price: Sourced<string> | undefined,
): string {
  const { t } = vscode.l10n;
  const count = (tokens: number) => tokens.toLocaleString(vscode.env.language);
  return [
    sourcedLine(contextLength, t('Context: {0} tokens', count(contextLength.value))),
    sourcedLine(maxOutput, t('Output: at most {0} tokens', count(maxOutput.value))),
    sourcedLine(tools, toolWords(tools.value)),
    sourcedLine(pictures, pictures.value ? t('Pictures: supported') : t('Pictures: not supported')),
    sourcedLine(reasoning, reasoning.value ? t('Reasoning: yes') : t('Reasoning: unknown')),
    sourcedLine(format, t('API format: {0}', textFormat(format.value).label)),
    ...(price ? [sourcedLine(price, t('Price: {0}', price.value))] : []),
  ].join('\n');
}

function sourcedLine({ source }: Sourced<unknown>, words: string): string {
  return `${words} (${sourceWords(source)})`;
}

function reuseText(cache: Map<string, string>, key: string, make: () => string): string {
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  if (cache.size >= maxCached) cache.clear();
  const text = make();
  cache.set(key, text);
  return text;
}

function toolWords(tools: boolean | number): string {
  if (typeof tools === 'number') return vscode.l10n.t('Tools: at most {0}', String(tools));
  return tools ? vscode.l10n.t('Tools: supported') : vscode.l10n.t('Tools: not supported');
}

/** The label of an option's value. An unknown value is its own label. */
export function optionLabel(value: string): string {
  const { t } = vscode.l10n;
  const labels = new Map([
    ['default', t('Model Default')],
    ['none', t('None')],
    ['minimal', t('Minimal')],
    ['low', t('Low')],
    ['medium', t('Medium')],
    ['high', t('High')],
    ['adaptive', t('Adaptive')],
  ]);
  return labels.get(value) ?? value;
}

/** Why the models may be out of date; undefined if they are current. */
export function staleWords({ gateway, phase, outage, error }: GatewayState): string | undefined {
  const { t } = vscode.l10n;
  if (phase === 'stopped')
    return t('{0} is stopped. It starts when you send a request to a model.', gateway.name);
  const failure = outage?.error ?? (phase === 'failed' ? error : undefined);
  return failure && t('{0}: {1}. Showing its last list.', gateway.name, failureMessage(failure).title);
}
