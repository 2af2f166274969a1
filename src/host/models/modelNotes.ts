import type * as vscode from 'vscode';
import { Emitter } from '../../base/emitter.ts';
import { modelMatcher } from '../../base/modelPattern.ts';
import type { Model } from '../../wire/apis/models/modelList.ts';
import { type ModelUse, usesOf } from '../../wire/apis/models/modelUse.ts';
import type { Gateway } from '../connection/gateways.ts';
import { ModelMarks } from './modelMarks.ts';
import { ModelMemory } from './modelMemory.ts';
import { type OfferRule, offeredBy } from './offerRules.ts';
import type { UseRule } from './useRules.ts';
import { ModelVerdicts } from './verify/modelVerdicts.ts';

/** What this machine knows of models beside what their gateways list. */
export class ModelNotes {
  readonly marks: ModelMarks;
  readonly memory: ModelMemory;
  readonly verdicts: ModelVerdicts;
  readonly #rules: () => readonly UseRule[];
  readonly #offers: () => readonly OfferRule[];
  readonly #didChange = new Emitter();
  readonly onDidChange = this.#didChange.event;

  /**
   * @param rules the user's rules of what models are for; the first match counts
   * @param offers those of which VS Code's own chat offers
   */
  constructor(
    state: vscode.Memento,
    rules: () => readonly UseRule[],
    offers: () => readonly OfferRule[] = () => [],
  ) {
    this.marks = new ModelMarks(state);
    this.memory = new ModelMemory(state);
    this.verdicts = new ModelVerdicts(state);
    this.#rules = rules;
    this.#offers = offers;
    for (const { onDidChange } of [this.marks, this.memory, this.verdicts])
      onDidChange(() => this.#didChange.fire());
  }

  /** Returns what tells what each of a gateway's models is for, as things stand now. */
  usesAt(gateway: Gateway): (model: Model) => readonly ModelUse[] {
    const said = this.marks.inChats(gateway);
    const rules = this.#rules().map(({ models, use }) => ({ use, matches: modelMatcher(models) }));
    return (model) => {
      const rule = rules.find(({ matches }) => matches(model.id));
      return usesOf(model, { inChats: said.get(model.id), ruled: rule?.use });
    };
  }

  /**
   * Returns what tells which of a gateway's models VS Code's own chat offers. The user's word on a single model counts
   * more than a rule, and that more than what the model is for.
   */
  inVsCodeChatAt(gateway: Gateway): (model: Model) => boolean {
    const said = this.marks.inVsCodeChat(gateway);
    const ruled = offeredBy(this.#offers());
    const uses = this.usesAt(gateway);
    const failed = this.verdicts.hidesFailing ? this.verdicts.of(gateway) : undefined;
    return (model) =>
      said.get(model.id) ??
      ruled(model.id) ??
      (uses(model).includes('chat') && failed?.get(model.id)?.failure === undefined);
  }

  /** Returns the models that are for this use. */
  modelsFor(use: ModelUse, gateway: Gateway, models: readonly Model[]): readonly Model[] {
    const uses = this.usesAt(gateway);
    return models.filter((model) => uses(model).includes(use));
  }

  /** Suggests a model for a new chat; undefined when none of them is for chats. */
  suggestForChat(gateway: Gateway | undefined, models: readonly Model[]): string | undefined {
    return gateway && this.memory.suggest(gateway, this.modelsFor('chat', gateway, models));
  }
}
