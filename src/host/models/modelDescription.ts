import * as vscode from 'vscode';
import type { ModelAbility } from '../../wire/apis/models/modelFacts.ts';
import type { Model } from '../../wire/apis/models/modelList.ts';
import type { ModelUse } from '../../wire/apis/models/modelUse.ts';
import { type ServiceTier, serviceTiers } from '../../wire/apis/models/serviceTier.ts';
import { joinNames } from '../kit/display/joinNames.ts';
import { perMillion, shortCount, shortPrice, shortTokenPrice } from './modelFigures.ts';

function useName(use: ModelUse): string {
  const names: Record<ModelUse, string> = {
    chat: vscode.l10n.t('chat'),
    video: vscode.l10n.t('video'),
    image: vscode.l10n.t('image'),
    audio: vscode.l10n.t('audio'),
    transcription: vscode.l10n.t('transcription'),
    embedding: vscode.l10n.t('embedding'),
    rerank: vscode.l10n.t('reranking'),
    moderation: vscode.l10n.t('moderation'),
    other: vscode.l10n.t('other use'),
  };
  return names[use];
}

/** The title of a group of models with this use. */
export function useTitle(use: ModelUse): string {
  const titles: Record<ModelUse, string> = {
    chat: vscode.l10n.t('Chats'),
    video: vscode.l10n.t('Videos'),
    image: vscode.l10n.t('Images'),
    audio: vscode.l10n.t('Audio'),
    transcription: vscode.l10n.t('Transcription'),
    embedding: vscode.l10n.t('Embeddings'),
    rerank: vscode.l10n.t('Reranking'),
    moderation: vscode.l10n.t('Moderation'),
    other: vscode.l10n.t('Other uses'),
  };
  return titles[use];
}

function abilityName(ability: ModelAbility): string {
  const names: Record<ModelAbility, string> = {
    vision: vscode.l10n.t('vision'),
    files: vscode.l10n.t('files'),
    hearing: vscode.l10n.t('audio input'),
    watching: vscode.l10n.t('video input'),
    tools: vscode.l10n.t('tools'),
    reasoning: vscode.l10n.t('reasoning'),
    json: vscode.l10n.t('structured output'),
  };
  return names[ability];
}

/** The facts about a model for a list: a use other than chats, its context length, its price. */
export function shortFacts(model: Model, uses: readonly ModelUse[]): string {
  const alias = model.aliasOf && vscode.l10n.t('alias');
  return [alias, otherUses(uses), limitAndPrice(model)].filter(Boolean).join(' · ');
}

/** `shortFacts`, with the abilities and with the name and the owner if the id does not contain them. */
export function searchableFacts(model: Model, uses: readonly ModelUse[]): string {
  const { id, name, owner, abilities } = model;
  const containsOwner = `${id}\n${name}`.toLowerCase().includes(owner.toLowerCase());
  return [
    shortFacts(model, uses),
    abilities && joinNames(abilities.map(abilityName)),
    name === id ? undefined : name,
    containsOwner ? undefined : owner,
  ]
    .filter(Boolean)
    .join(' · ');
}

function otherUses(uses: readonly ModelUse[]): string {
  if (uses.length === 0) return vscode.l10n.t('hidden from chats');
  const namedUses = uses.length === 1 ? uses.filter((use) => use !== 'chat') : uses;
  return joinNames(namedUses.map(useName));
}

function limitAndPrice({ contextLength, tokenPrice, price }: Model): string {
  const { language } = vscode.env;
  const { perRequest, perSecond } = shortPrice(price ?? {}, language);
  return [
    contextLength === undefined ? undefined : shortCount(contextLength),
    tokenPrice && vscode.l10n.t('{0} per M', shortTokenPrice(tokenPrice, language)),
    perRequest && vscode.l10n.t('{0} per request', perRequest),
    perSecond && vscode.l10n.t('{0} per second', perSecond),
  ]
    .filter(Boolean)
    .join(' · ');
}

/** All known facts about a model, one per line. */
export function allFacts(model: Model, uses: readonly ModelUse[]): string {
  const { id, name, owner, created, abilities, aliasOf } = model;
  const { language } = vscode.env;
  return [
    name,
    name === id ? undefined : id,
    owner && vscode.l10n.t('Owner: {0}', owner),
    uses.length > 0
      ? vscode.l10n.t('For: {0}', joinNames(uses.map(useName)))
      : vscode.l10n.t('Hidden from chats'),
    aliasOf && vscode.l10n.t('Alias of {0}', joinNames(aliasOf)),
    abilities && vscode.l10n.t('Capabilities: {0}', joinNames(abilities.map(abilityName))),
    ...limitLines(model, language),
    ...priceLines(model, language),
    created && vscode.l10n.t('Created: {0}', new Date(created * 1000).toLocaleDateString(language)),
  ]
    .filter(Boolean)
    .join('\n');
}

function limitLines({ contextLength, maxOutput }: Model, language: string): readonly string[] {
  const count = (tokens: number) => tokens.toLocaleString(language);
  return [
    ...(contextLength === undefined ? [] : [vscode.l10n.t('Context: {0} tokens', count(contextLength))]),
    ...(maxOutput === undefined ? [] : [vscode.l10n.t('Output: at most {0} tokens', count(maxOutput))]),
  ];
}

/**
 * A line with the price of a service tier.
 *
 * @param amount the prices of input and output
 */
function servicePriceLine(service: ServiceTier, amount: string): string {
  switch (service) {
    case 'flex':
      return vscode.l10n.t('Price of flex processing: {0} per million tokens', amount);
    case 'priority':
      return vscode.l10n.t('Price of priority processing: {0} per million tokens', amount);
    case 'batch':
      return vscode.l10n.t('Price of batch processing: {0} per million tokens', amount);
  }
}

function priceLines({ tokenPrice = {}, price = {} }: Model, language: string): readonly string[] {
  const { input, output, cachedInput } = tokenPrice;
  const { perRequest, perSecond } = shortPrice(price, language);
  const priceLine = (rate: number | undefined, words: (amount: string) => string) =>
    rate ? [words(perMillion(rate, language))] : [];
  return [
    ...priceLine(input, (amount) => vscode.l10n.t('Price of input: {0} per million tokens', amount)),
    ...priceLine(cachedInput, (amount) =>
      vscode.l10n.t('Price of cached input: {0} per million tokens', amount),
    ),
    ...priceLine(output, (amount) => vscode.l10n.t('Price of output: {0} per million tokens', amount)),
    ...serviceTiers.flatMap((service) => {
      const rates = tokenPrice.services?.[service];
      return rates ? [servicePriceLine(service, shortTokenPrice(rates, language))] : [];
    }),
    ...(perRequest ? [vscode.l10n.t('Price: {0} per request', perRequest)] : []),
    ...(perSecond ? [vscode.l10n.t('Price: {0} per second', perSecond)] : []),
  ];
}
