import type * as vscode from 'vscode';
import { Emitter } from '../../base/emitter.ts';
import type { Model } from '../../wire/apis/models/modelList.ts';
import { type ModelUse, usesOf } from '../../wire/apis/models/modelUse.ts';
import type { Gateway } from '../connection/gateways.ts';
import { ModelMarks } from './modelMarks.ts';
import { ModelMemory } from './modelMemory.ts';
import type { ModelRules } from './modelRules.ts';
import { ModelVerdicts } from './modelVerdicts.ts';

/** What this machine knows of models beside what their gateways list. */
export class ModelNotes {
  readonly marks: ModelMarks;
  readonly memory: ModelMemory;
  readonly verdicts: ModelVerdicts;
  readonly #rules: () => ModelRules;
  readonly #didChange = new Emitter();
  readonly onDidChange = this.#didChange.event;

  /** @param rules the user's settings of models */
  constructor(state: vscode.Memento, rules: () => ModelRules) {
    this.marks = new ModelMarks(state);
    this.memory = new ModelMemory(state);
    this.verdicts = new ModelVerdicts(state);
    this.#rules = rules;
    for (const { onDidChange } of [this.marks, this.memory, this.verdicts])
      onDidChange(() => this.#didChange.fire());
  }

  /** Returns a lookup from model to uses. */
  usesAt(gateway: Gateway): (model: Model) => readonly ModelUse[] {
    const said = this.marks.inChats(gateway);
    const rules = this.#rules();
    return (model) => usesOf(model, { inChats: said.get(model.id), ruled: rules.use(model.id) });
  }

  /**
   * Returns a lookup: whether VS Code's own chat offers a model. The user's choice for a single model has precedence
   * over a setting, and that over the model's use.
   */
  inVsCodeChatAt(gateway: Gateway): (model: Model) => boolean {
    const said = this.marks.inVsCodeChat(gateway);
    const rules = this.#rules();
    const uses = this.usesAt(gateway);
    const failed = this.verdicts.hidesFailing ? this.verdicts.of(gateway) : undefined;
    return (model) =>
      said.get(model.id) ??
      rules.offered(model.id) ??
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
