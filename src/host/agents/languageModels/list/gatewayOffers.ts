import * as vscode from 'vscode';
import type { Model } from '../../../../wire/apis/models/modelList.ts';
import { defaultFormat, type TextFormatId } from '../../../../wire/apis/textFormats.ts';
import { buildGatewayKey, type Gateway } from '../../../connection/gateways.ts';
import { escapeMarkdown, lineBreak, plainLine } from '../../../kit/display/plainText.ts';
import { FormatChoice } from '../../../models/formatChoice.ts';
import type { ModelChoices } from '../../../models/modelChoices.ts';
import type { ModelRules } from '../../../models/modelRules.ts';
import type { ModelVerdict } from '../../../models/modelVerdicts.ts';
import { versionIn } from './knownFamilies.ts';
import {
  effortOption,
  effortValues,
  modelDefault,
  verbosityOption,
  verbosityValues,
} from './modelOptions.ts';
import { type OfferedFacts, offeredFacts, type Sourced, tokenLimits } from './offeredFacts.ts';
import { type OfferedModel, offeredId } from './offeredModel.ts';
import { type OfferedPrice, OfferedWords, optionLabel } from './offeredWords.ts';
import type { ConfigurationSchema, UnpublishedModelFields } from './unpublishedFields.ts';

/** The models of one gateway, and the state that their offers depend on. */
interface OfferableModels {
  readonly gateway: Gateway;
  readonly models: readonly Model[];
  /** Whether the models of several gateways are offered together. */
  readonly hasOtherGateways: boolean;
  /** Why the list may be out of date; plain text. */
  readonly warning: string | undefined;
}

/** Builds the offers of gateways' models, from the user's settings and choices at the time of construction. */
export class GatewayOffers {
  readonly #modelChoices: ModelChoices;
  readonly #rules: ModelRules;
  readonly #formats: FormatChoice;
  readonly #words = new OfferedWords();

  constructor(modelChoices: ModelChoices, memory: vscode.Memento, rules: ModelRules) {
    this.#modelChoices = modelChoices;
    this.#rules = rules;
    this.#formats = new FormatChoice(memory, () => rules);
  }

  /** The models of a gateway that VS Code's own chat offers, in the gateway's order. */
  of({ gateway, models, ...list }: OfferableModels): readonly OfferedModel[] {
    const verdicts = this.#modelChoices.verdicts.of(gateway);
    return models.filter(this.#modelChoices.vsCodeChatLookup(gateway)).map((model) =>
      createOffer(
        {
          ...list,
          gateway,
          model,
          facts: offeredFacts(model, this.#rules.facts(model.id)),
          format: this.#findFormat(gateway, model.id, verdicts.get(model.id)),
          price: this.#findPrice(model),
        },
        this.#words,
      ),
    );
  }

  #findFormat(gateway: Gateway, model: string, verdict: ModelVerdict | undefined): Sourced<TextFormatId> {
    const chosen = this.#formats.chosenFormat(gateway, model);
    if (chosen !== undefined) return { value: chosen, source: 'user' };
    const verified = verdict?.onlyFormat;
    return verified === undefined
      ? { value: defaultFormat, source: 'default' }
      : { value: verified, source: 'verification' };
  }

  #findPrice({ id, tokenPrice }: Model): OfferedPrice | undefined {
    const ownPrice = this.#rules.tokenPrice(id);
    if (ownPrice) return { value: ownPrice, source: 'user' };
    return tokenPrice && { value: tokenPrice, source: 'gateway' };
  }
}

const maxNameLength = 200;
const maxWarningLength = 500;

/** The data of one model for VS Code. */
interface Offer extends Omit<OfferableModels, 'models'> {
  readonly model: Model;
  readonly facts: OfferedFacts;
  readonly format: Sourced<TextFormatId>;
  readonly price: OfferedPrice | undefined;
}

/** Describes a model for VS Code's own chat. Text from outside is escaped. */
function createOffer(offer: Offer, words: OfferedWords): OfferedModel & UnpublishedModelFields {
  const { gateway, model, facts, format, price, warning } = offer;
  const { id, name = id } = model;
  const pricing = price && words.priceText(price.value);
  const factsMarkdown = words.factsMarkdown(
    model,
    facts,
    format,
    price && { value: pricing ?? '', source: price.source },
  );
  const warningMarkdown = warning === undefined ? undefined : escapeMarkdown(warning, maxWarningLength);
  const tools = facts.tools.value;
  const options = optionSchema(facts, format);
  return {
    id: offeredId(gateway, id),
    name: plainLine(name, maxNameLength),
    family: facts.family.value,
    version: versionIn(id) ?? '1',
    detail: plainLine(detailText(offer, pricing), maxNameLength),
    tooltip: warningMarkdown === undefined ? factsMarkdown : `${warningMarkdown}${lineBreak}${factsMarkdown}`,
    ...tokenLimits(facts),
    capabilities: { toolCalling: tools, imageInput: facts.pictures.value },
    isUserSelectable: true,
    // Hosts that show a price do not show the tooltip.
    ...(pricing !== undefined && { pricing, infoText: { facts: factsMarkdown } }),
    ...(warningMarkdown !== undefined && {
      statusIcon: warningIcon,
      warningText: { stale: warningMarkdown },
    }),
    ...(options && { configurationSchema: options }),
    gateway: buildGatewayKey(gateway),
    model: id,
    format: format.value,
  };
}

const warningIcon = new vscode.ThemeIcon('warning');

function detailText(
  { gateway, model: { owner }, hasOtherGateways }: Offer,
  pricing: string | undefined,
): string {
  return [hasOtherGateways ? gateway.name : undefined, owner, pricing].filter(Boolean).join(' · ');
}

/** By their values, because thousands of models share a few schemas. */
const cachedSchemas = new Map<string, ConfigurationSchema>();

/** The options that the user can choose for a model; undefined if the model has none. */
function optionSchema(
  { family, reasoning }: OfferedFacts,
  { value: format }: Sourced<TextFormatId>,
): ConfigurationSchema | undefined {
  const efforts = reasoning.value ? effortValues(format) : [];
  const verbosities = verbosityValues(format, family.value);
  if (efforts.length + verbosities.length === 0) return undefined;
  const key = [efforts, verbosities].join(';');
  const cached = cachedSchemas.get(key);
  if (cached) return cached;
  const { t } = vscode.l10n;
  const schema: ConfigurationSchema = {
    properties: {
      ...(efforts.length > 0 && {
        [effortOption]: {
          ...createOption(t('Thinking Effort'), t('How much the model thinks before it replies.'), efforts),
          group: 'navigation',
        },
      }),
      ...(verbosities.length > 0 && {
        [verbosityOption]: createOption(t('Verbosity'), t('The length of the model’s replies.'), verbosities),
      }),
    },
  };
  cachedSchemas.set(key, schema);
  return schema;
}

function createOption(
  title: string,
  description: string,
  values: readonly string[],
): ConfigurationSchema['properties'][string] {
  const choices = [modelDefault, ...values];
  return {
    type: 'string',
    title,
    description,
    enum: choices,
    enumItemLabels: choices.map(optionLabel),
    default: modelDefault,
  };
}
