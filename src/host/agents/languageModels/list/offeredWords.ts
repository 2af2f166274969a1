import * as vscode from 'vscode';
import type { Model } from '../../../../wire/apis/models/modelList.ts';
import type { TokenRates } from '../../../../wire/apis/models/tokenPrice.ts';
import { type TextFormatId, textFormat } from '../../../../wire/apis/textFormats.ts';
import { failureMessage } from '../../../connection/failureMessage.ts';
import type { GatewayState } from '../../../connection/gatewayConnection.ts';
import { lineBreak, markdownWords } from '../../../kit/display/plainText.ts';
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
/** The most entries of each map. A full map is cleared. */
const maxCached = 10_000;

/**
 * The texts about offered models. Thousands of models share a few hundred prices and limits, whose texts are
 * reused.
 */
export class OfferedWords {
  readonly #prices = new Map<string, string>();
  readonly #lines = new Map<string, string>();

  /** The price of input and of output, in dollars. */
  price(price: TokenRates): string {
    return cachedText(this.#prices, `${price.input}/${price.output}`, () =>
      vscode.l10n.t('{0} per million tokens', shortTokenPrice(price, vscode.env.language)),
    );
  }

  /**
   * All facts about a model as Markdown, one per line with its source. VS Code shows the model's name above them.
   */
  facts(
    { id, name = id, owner }: Model,
    facts: OfferedFacts,
    format: Sourced<TextFormatId>,
    price: Sourced<string> | undefined,
  ): string {
    const { contextLength, maxOutput, tools, pictures, reasoning, family } = facts;
    const shared = [contextLength, maxOutput, tools, pictures, reasoning, format];
    let key = `${price?.value} ${price?.source}`;
    for (const { value, source } of shared) key += ` ${value} ${source}`;
    const rest = cachedText(this.#lines, key, () =>
      markdownWords(sharedLines(facts, format, price), maxLinesLength),
    );
    const owned = owner === '' ? [] : [this.#owner(owner)];
    const named = name === id ? [] : [markdownWords(id, maxLinesLength)];
    return [...named, ...owned, this.#family(family), rest].join(lineBreak);
  }

  #owner(owner: string): string {
    return cachedText(this.#lines, `owner ${owner}`, () =>
      markdownWords(vscode.l10n.t('Owner: {0}', owner), maxLinesLength),
    );
  }

  #family(family: Sourced<string>): string {
    return cachedText(this.#lines, `${family.source} ${family.value}`, () =>
      markdownWords(line(family, vscode.l10n.t('Family: {0}', family.value)), maxLinesLength),
    );
  }
}

function sharedLines(
  { contextLength, maxOutput, tools, pictures, reasoning }: OfferedFacts,
  format: Sourced<TextFormatId>,
  price: Sourced<string> | undefined,
): string {
  const { t } = vscode.l10n;
  const count = (tokens: number) => tokens.toLocaleString(vscode.env.language);
  return [
    line(contextLength, t('Context: {0} tokens', count(contextLength.value))),
    line(maxOutput, t('Output: at most {0} tokens', count(maxOutput.value))),
    line(tools, toolWords(tools.value)),
    line(pictures, pictures.value ? t('Pictures: supported') : t('Pictures: not supported')),
    line(reasoning, reasoning.value ? t('Reasoning: yes') : t('Reasoning: unknown')),
    line(format, t('API format: {0}', textFormat(format.value).label)),
    ...(price ? [line(price, t('Price: {0}', price.value))] : []),
  ].join('\n');
}

function line({ source }: Sourced<unknown>, words: string): string {
  return `${words} (${sourceWords(source)})`;
}

function cachedText(cache: Map<string, string>, key: string, make: () => string): string {
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

/** @param word of a provider, or our word for no choice */
export function optionLabel(word: string): string {
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
  return labels.get(word) ?? word;
}

/** Why the models may be out of date; undefined if they are current. */
export function staleWords({ gateway, phase, outage, error }: GatewayState): string | undefined {
  const { t } = vscode.l10n;
  if (phase === 'stopped')
    return t('{0} is stopped. It starts when you send a request to a model.', gateway.name);
  const failure = outage?.error ?? (phase === 'failed' ? error : undefined);
  return failure && t('{0}: {1}. Showing its last list.', gateway.name, failureMessage(failure).title);
}
