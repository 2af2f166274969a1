import * as vscode from 'vscode';
import type { Model } from '../../../../wire/apis/models/modelList.ts';
import type { TokenRates } from '../../../../wire/apis/models/tokenPrice.ts';
import { type TextFormatId, textFormat } from '../../../../wire/apis/textFormats.ts';
import { lineBreak, markdownWords } from '../../../kit/display/plainText.ts';
import { shortTokenPrice } from '../../../models/modelFigures.ts';
import type { FactSource, OfferedFacts, Sourced } from './offeredFacts.ts';

/** What an offered model costs, with who says so. */
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
      return vscode.l10n.t('known of its family');
    case 'default':
      return vscode.l10n.t('assumed');
  }
}

const maxLinesLength = 2000;
/** More words than that are forgotten, whoever lists so many different models. */
const maxKnown = 10_000;

/** The words about offered models. Thousands of models share a few hundred prices and limits, which are worded once. */
export class OfferedWords {
  readonly #prices = new Map<string, string>();
  readonly #lines = new Map<string, string>();

  /** The price of input and of output, in dollars. */
  price(price: TokenRates): string {
    return remembered(this.#prices, `${price.input}/${price.output}`, () =>
      vscode.l10n.t('{0} per million tokens', shortTokenPrice(price, vscode.env.language)),
    );
  }

  /**
   * All that VS Code is told of a model, each line with who says so, as Markdown. VS Code shows the model's name above
   * it.
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
    const rest = remembered(this.#lines, key, () =>
      markdownWords(sharedLines(facts, format, price), maxLinesLength),
    );
    const owned = owner === '' ? [] : [this.#owner(owner)];
    const named = name === id ? [] : [markdownWords(id, maxLinesLength)];
    return [...named, ...owned, this.#family(family), rest].join(lineBreak);
  }

  #owner(owner: string): string {
    return remembered(this.#lines, `owner ${owner}`, () =>
      markdownWords(vscode.l10n.t('Owner: {0}', owner), maxLinesLength),
    );
  }

  #family(family: Sourced<string>): string {
    return remembered(this.#lines, `${family.source} ${family.value}`, () =>
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
    line(pictures, pictures.value ? t('Pictures: takes them') : t('Pictures: not supported')),
    line(reasoning, reasoning.value ? t('Reasoning: yes') : t('Reasoning: not known')),
    line(format, t('API format: {0}', textFormat(format.value).label)),
    ...(price ? [line(price, t('Price: {0}', price.value))] : []),
  ].join('\n');
}

function line({ source }: Sourced<unknown>, words: string): string {
  return `${words} (${sourceWords(source)})`;
}

function remembered(known: Map<string, string>, key: string, make: () => string): string {
  const found = known.get(key);
  if (found !== undefined) return found;
  if (known.size >= maxKnown) known.clear();
  const made = make();
  known.set(key, made);
  return made;
}

function toolWords(tools: boolean | number): string {
  if (typeof tools === 'number') return vscode.l10n.t('Tools: at most {0}', String(tools));
  return tools ? vscode.l10n.t('Tools: calls them') : vscode.l10n.t('Tools: not supported');
}

/** The option by which the user chooses how much a model thinks. */
export function effortTitle(): string {
  return vscode.l10n.t('Thinking Effort');
}

export function effortDescription(): string {
  return vscode.l10n.t('How much the model thinks before it answers.');
}

/** The option by which the user chooses how long answers are. */
export function verbosityTitle(): string {
  return vscode.l10n.t('Verbosity');
}

export function verbosityDescription(): string {
  return vscode.l10n.t('How long the model’s answers are.');
}

/** @param word of a provider, or ours for no choice */
export function optionLabel(word: string): string {
  const { t } = vscode.l10n;
  const labels = new Map([
    ['default', t('Model’s Own')],
    ['none', t('None')],
    ['minimal', t('Minimal')],
    ['low', t('Low')],
    ['medium', t('Medium')],
    ['high', t('High')],
    ['adaptive', t('Adaptive')],
  ]);
  return labels.get(word) ?? word;
}
