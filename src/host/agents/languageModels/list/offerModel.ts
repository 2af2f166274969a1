import * as vscode from 'vscode';
import type { Model } from '../../../../wire/apis/models/modelList.ts';
import type { TextFormatId } from '../../../../wire/apis/textFormats.ts';
import { type Gateway, gatewayKey } from '../../../connection/gateways.ts';
import { lineBreak, markdownWords, plainLine } from '../../../kit/display/plainText.ts';
import type { ConfigurationSchema, ConfiguredOption, HostModelFields } from './hostFields.ts';
import { versionIn } from './knownFamilies.ts';
import { effortOption, effortWords, ownChoice, verbosityOption, verbosityWords } from './modelOptions.ts';
import { type OfferedFacts, type Sourced, tokenLimits } from './offeredFacts.ts';
import { offeredId } from './offeredId.ts';
import type { OfferedModel } from './offeredModel.ts';
import {
  effortDescription,
  effortTitle,
  type OfferedPrice,
  type OfferedWords,
  optionLabel,
  verbosityDescription,
  verbosityTitle,
} from './offeredWords.ts';

const maxNameLength = 200;
const maxWarningLength = 500;

/** What is told of one model to VS Code. */
export interface Offer {
  readonly gateway: Gateway;
  readonly model: Model;
  readonly facts: OfferedFacts;
  readonly format: Sourced<TextFormatId>;
  readonly price: OfferedPrice | undefined;
  /** Whether the models of several gateways are offered together. */
  readonly amongSeveral: boolean;
  /** Why what is told may be out of date; plain words. */
  readonly warning: string | undefined;
}

/** Describes a model as VS Code's own chat offers it. Words from outside stay words. */
export function offerModel(offer: Offer, words: OfferedWords): OfferedModel & HostModelFields {
  const { gateway, model, facts, format, price, warning } = offer;
  const { id, name = id } = model;
  const pricing = price && words.price(price.value);
  const lines = words.facts(model, facts, format, price && { value: pricing ?? '', source: price.source });
  const stale = warning === undefined ? undefined : markdownWords(warning, maxWarningLength);
  const tools = facts.tools.value;
  const options = optionsOf(facts, format);
  return {
    id: offeredId(gateway, id),
    name: plainLine(name, maxNameLength),
    family: facts.family.value,
    version: versionIn(id) ?? '1',
    detail: plainLine(details(offer, pricing), maxNameLength),
    tooltip: stale === undefined ? lines : `${stale}${lineBreak}${lines}`,
    ...tokenLimits(facts),
    capabilities: { toolCalling: tools, imageInput: facts.pictures.value },
    isUserSelectable: true,
    // Hosts that show a price leave out the tooltip.
    ...(pricing !== undefined && { pricing, infoText: { facts: lines } }),
    ...(stale !== undefined && { statusIcon: warningIcon, warningText: { stale } }),
    ...(options && { configurationSchema: options }),
    gateway: gatewayKey(gateway),
    model: id,
    format: format.value,
  };
}

const warningIcon = new vscode.ThemeIcon('warning');

function details({ gateway, model: { owner }, amongSeveral }: Offer, pricing: string | undefined): string {
  return [amongSeveral ? gateway.name : undefined, owner, pricing].filter(Boolean).join(' · ');
}

/** The schemas that were made, by their words: thousands of models share a few. */
const schemas = new Map<string, ConfigurationSchema>();

/** What the user can choose of a model; undefined where that is nothing. */
function optionsOf(
  { family, reasoning }: OfferedFacts,
  { value: format }: Sourced<TextFormatId>,
): ConfigurationSchema | undefined {
  const efforts = reasoning.value ? effortWords(format) : [];
  const lengths = verbosityWords(format, family.value);
  if (efforts.length + lengths.length === 0) return undefined;
  const key = [efforts, lengths].join(';');
  const known = schemas.get(key);
  if (known) return known;
  const schema: ConfigurationSchema = {
    properties: {
      ...(efforts.length > 0 && {
        [effortOption]: { ...option(effortTitle(), effortDescription(), efforts), group: 'navigation' },
      }),
      ...(lengths.length > 0 && {
        [verbosityOption]: option(verbosityTitle(), verbosityDescription(), lengths),
      }),
    },
  };
  schemas.set(key, schema);
  return schema;
}

function option(title: string, description: string, words: readonly string[]): ConfiguredOption {
  const choices = [ownChoice, ...words];
  return {
    type: 'string',
    ...{ title, description },
    enum: choices,
    enumItemLabels: choices.map(optionLabel),
    default: ownChoice,
  };
}
