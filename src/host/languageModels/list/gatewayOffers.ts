import type * as vscode from 'vscode';
import { modelMatcher } from '../../../base/modelPattern.ts';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import { defaultFormat, type TextFormatId } from '../../../wire/apis/textFormats.ts';
import { FormatChoice } from '../../chat/asking/formatChoice.ts';
import type { FormatRule } from '../../chat/asking/formatRules.ts';
import type { Gateway } from '../../connection/gateways.ts';
import type { ModelNotes } from '../../models/modelNotes.ts';
import type { TokenPriceRule } from '../../models/tokenPriceRules.ts';
import type { ModelVerdict } from '../../models/verify/modelVerdicts.ts';
import type { OfferedModel } from '../offeredModel.ts';
import { type FactRule, factsBy } from './factRules.ts';
import { offeredFacts, type Sourced } from './offeredFacts.ts';
import { type OfferedPrice, OfferedWords } from './offeredWords.ts';
import { offerModel } from './offerModel.ts';

/** The user's rules; the first match of each counts. */
export interface OfferSettings {
  readonly facts: readonly FactRule[];
  readonly formats: readonly FormatRule[];
  readonly prices: readonly TokenPriceRule[];
}

/** The models of one gateway, and how they are offered. */
export interface OfferedList {
  readonly gateway: Gateway;
  readonly models: readonly Model[];
  readonly amongSeveral: boolean;
  readonly warning: string | undefined;
}

/** Makes the offers of gateways' models from what the user said and what is known, as things stand when it is made. */
export class GatewayOffers {
  readonly #notes: ModelNotes;
  readonly #settings: OfferSettings;
  readonly #formats: FormatChoice;
  readonly #words = new OfferedWords();
  readonly #prices: (model: Model) => OfferedPrice | undefined;

  constructor(notes: ModelNotes, memory: vscode.Memento, settings: OfferSettings) {
    this.#notes = notes;
    this.#settings = settings;
    this.#formats = new FormatChoice(memory, () => settings.formats);
    this.#prices = pricesBy(settings.prices);
  }

  /** Those of the gateway's models that VS Code's own chat is to offer, in the gateway's order. */
  of({ gateway, models, ...list }: OfferedList): readonly OfferedModel[] {
    const verdicts = this.#notes.verdicts.of(gateway);
    const said = factsBy(this.#settings.facts);
    return models.filter(this.#notes.inVsCodeChatAt(gateway)).map((model) =>
      offerModel(
        {
          ...{ ...list, gateway, model },
          facts: offeredFacts(model, said(model.id)),
          format: this.#formatOf(gateway, model.id, verdicts.get(model.id)),
          price: this.#prices(model),
        },
        this.#words,
      ),
    );
  }

  #formatOf(gateway: Gateway, model: string, verdict: ModelVerdict | undefined): Sourced<TextFormatId> {
    const said = this.#formats.said(gateway, model);
    if (said !== undefined) return { value: said, source: 'user' };
    const verified = verdict?.answersOnlyIn;
    return verified === undefined
      ? { value: defaultFormat, source: 'default' }
      : { value: verified, source: 'verification' };
  }
}

function pricesBy(rules: readonly TokenPriceRule[]): (model: Model) => OfferedPrice | undefined {
  const matched = rules.map(({ models, price }) => ({ price, matches: modelMatcher(models) }));
  return ({ id, tokenPrice }) => {
    const own = matched.find(({ matches }) => matches(id));
    if (own) return { value: own.price, source: 'user' };
    return tokenPrice && { value: tokenPrice, source: 'gateway' };
  };
}
