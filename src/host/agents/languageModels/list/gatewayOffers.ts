import * as vscode from 'vscode';
import type { Model } from '../../../../wire/apis/models/modelList.ts';
import { defaultFormat, type TextFormatId } from '../../../../wire/apis/textFormats.ts';
import { type Gateway, gatewayKey } from '../../../connection/gateways.ts';
import { lineBreak, markdownWords, plainLine } from '../../../kit/display/plainText.ts';
import { FormatChoice } from '../../../models/formatChoice.ts';
import type { ModelChoices } from '../../../models/modelChoices.ts';
import type { ModelRules } from '../../../models/modelRules.ts';
import type { ModelVerdict } from '../../../models/modelVerdicts.ts';
import { versionIn } from './knownFamilies.ts';
import { effortOption, effortWords, ownChoice, verbosityOption, verbosityWords } from './modelOptions.ts';
import { type OfferedFacts, offeredFacts, type Sourced, tokenLimits } from './offeredFacts.ts';
import { type OfferedModel, offeredId } from './offeredModel.ts';
import { type OfferedPrice, OfferedWords, optionLabel } from './offeredWords.ts';
import type { ConfigurationSchema, ConfiguredOption, UnpublishedModelFields } from './unpublishedFields.ts';

/** The models of one gateway, and the conditions of their offer. */
interface OfferedList {
  readonly gateway: Gateway;
  readonly models: readonly Model[];
  readonly hasOtherGateways: boolean;
  readonly warning: string | undefined;
}

/**
 * Builds the offers of gateways' models from the user's settings and the facts known at the time of construction.
 */
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

  /** The gateway's models to offer in VS Code's own chat, in the gateway's order. */
  of({ gateway, models, ...list }: OfferedList): readonly OfferedModel[] {
    const verdicts = this.#modelChoices.verdicts.of(gateway);
    return models.filter(this.#modelChoices.vsCodeChatLookup(gateway)).map((model) =>
      offerModel(
        {
          ...{ ...list, gateway, model },
          facts: offeredFacts(model, this.#rules.facts(model.id)),
          format: this.#formatOf(gateway, model.id, verdicts.get(model.id)),
          price: this.#priceOf(model),
        },
        this.#words,
      ),
    );
  }

  #formatOf(gateway: Gateway, model: string, verdict: ModelVerdict | undefined): Sourced<TextFormatId> {
    const chosen = this.#formats.chosenFormat(gateway, model);
    if (chosen !== undefined) return { value: chosen, source: 'user' };
    const verified = verdict?.onlyFormat;
    return verified === undefined
      ? { value: defaultFormat, source: 'default' }
      : { value: verified, source: 'verification' };
  }

  #priceOf({ id, tokenPrice }: Model): OfferedPrice | undefined {
    const own = this.#rules.tokenPrice(id);
    if (own) return { value: own, source: 'user' };
    return tokenPrice && { value: tokenPrice, source: 'gateway' };
  }
}

const maxNameLength = 200;
const maxWarningLength = 500;

/** The data of one model for VS Code. */
interface Offer {
  readonly gateway: Gateway;
  readonly model: Model;
  readonly facts: OfferedFacts;
  readonly format: Sourced<TextFormatId>;
  readonly price: OfferedPrice | undefined;
  /** Whether the models of several gateways are offered together. */
  readonly hasOtherGateways: boolean;
  /** Why the data may be out of date; plain words. */
  readonly warning: string | undefined;
}

/** Describes a model for VS Code's own chat. Text from outside is escaped. */
function offerModel(offer: Offer, words: OfferedWords): OfferedModel & UnpublishedModelFields {
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
    // Hosts that show a price do not show the tooltip.
    ...(pricing !== undefined && { pricing, infoText: { facts: lines } }),
    ...(stale !== undefined && { statusIcon: warningIcon, warningText: { stale } }),
    ...(options && { configurationSchema: options }),
    gateway: gatewayKey(gateway),
    model: id,
    format: format.value,
  };
}

const warningIcon = new vscode.ThemeIcon('warning');

function details(
  { gateway, model: { owner }, hasOtherGateways }: Offer,
  pricing: string | undefined,
): string {
  return [hasOtherGateways ? gateway.name : undefined, owner, pricing].filter(Boolean).join(' · ');
}

/** The schemas by their values: thousands of models share a few of them. */
const schemas = new Map<string, ConfigurationSchema>();

/** The options of a model that the user can choose; undefined if it has none. */
function optionsOf(
  { family, reasoning }: OfferedFacts,
  { value: format }: Sourced<TextFormatId>,
): ConfigurationSchema | undefined {
  const efforts = reasoning.value ? effortWords(format) : [];
  const lengths = verbosityWords(format, family.value);
  if (efforts.length + lengths.length === 0) return undefined;
  const key = [efforts, lengths].join(';');
  const cached = schemas.get(key);
  if (cached) return cached;
  const { t } = vscode.l10n;
  const schema: ConfigurationSchema = {
    properties: {
      ...(efforts.length > 0 && {
        [effortOption]: {
          ...option(t('Thinking Effort'), t('How much the model thinks before it replies.'), efforts),
          group: 'navigation',
        },
      }),
      ...(lengths.length > 0 && {
        [verbosityOption]: option(t('Verbosity'), t('The length of the model’s replies.'), lengths),
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
    title,
    description,
    enum: choices,
    enumItemLabels: choices.map(optionLabel),
    default: ownChoice,
  };
}
