import type * as vscode from 'vscode';
import type { Model } from '../../../../wire/apis/models/modelList.ts';
import { defaultFormat, type TextFormatId } from '../../../../wire/apis/textFormats.ts';
import type { Gateway } from '../../../connection/gateways.ts';
import { FormatChoice } from '../../../models/formatChoice.ts';
import type { ModelNotes } from '../../../models/modelNotes.ts';
import type { ModelRules } from '../../../models/modelRules.ts';
import type { ModelVerdict } from '../../../models/modelVerdicts.ts';
import { offeredFacts, type Sourced } from './offeredFacts.ts';
import type { OfferedModel } from './offeredModel.ts';
import { type OfferedPrice, OfferedWords } from './offeredWords.ts';
import { offerModel } from './offerModel.ts';

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
  readonly #rules: ModelRules;
  readonly #formats: FormatChoice;
  readonly #words = new OfferedWords();

  constructor(notes: ModelNotes, memory: vscode.Memento, rules: ModelRules) {
    this.#notes = notes;
    this.#rules = rules;
    this.#formats = new FormatChoice(memory, () => rules);
  }

  /** Those of the gateway's models that VS Code's own chat is to offer, in the gateway's order. */
  of({ gateway, models, ...list }: OfferedList): readonly OfferedModel[] {
    const verdicts = this.#notes.verdicts.of(gateway);
    return models.filter(this.#notes.inVsCodeChatAt(gateway)).map((model) =>
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
    const said = this.#formats.said(gateway, model);
    if (said !== undefined) return { value: said, source: 'user' };
    const verified = verdict?.answersOnlyIn;
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
