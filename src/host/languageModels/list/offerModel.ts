import * as vscode from 'vscode';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import type { TextFormatId } from '../../../wire/apis/textFormats.ts';
import { type Gateway, gatewayKey } from '../../connection/gateways.ts';
import { lineBreak, markdownWords, plainLine } from '../../display/plainText.ts';
import type { OfferedModel } from '../offeredModel.ts';
import type { ConfigurationSchema, HostModelFields } from './hostFields.ts';
import { versionIn } from './knownFamilies.ts';
import { effortOption, effortWords, ownChoice } from './modelOptions.ts';
import { type OfferedFacts, type Sourced, tokenLimits } from './offeredFacts.ts';
import { offeredId } from './offeredId.ts';
import {
  effortDescription,
  effortLabel,
  effortTitle,
  type OfferedPrice,
  type OfferedWords,
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
    ...(facts.reasoning.value && { configurationSchema: effortSchema(format.value) }),
    gateway: gatewayKey(gateway),
    model: id,
    format: format.value,
  };
}

const warningIcon = new vscode.ThemeIcon('warning');

function details({ gateway, model: { owner }, amongSeveral }: Offer, pricing: string | undefined): string {
  return [amongSeveral ? gateway.name : undefined, owner, pricing].filter(Boolean).join(' · ');
}

/** The schemas that were made, by format: thousands of models share one. */
const schemas = new Map<TextFormatId, ConfigurationSchema>();

function effortSchema(format: TextFormatId): ConfigurationSchema {
  const known = schemas.get(format);
  if (known) return known;
  const words = [ownChoice, ...effortWords(format)];
  const schema: ConfigurationSchema = {
    properties: {
      [effortOption]: {
        type: 'string',
        title: effortTitle(),
        description: effortDescription(),
        enum: words,
        enumItemLabels: words.map(effortLabel),
        default: ownChoice,
        group: 'navigation',
      },
    },
  };
  schemas.set(format, schema);
  return schema;
}
