import * as vscode from 'vscode';
import { type ChatParameters, noParameters } from '../../../conversations/conversation/chatParameters.ts';
import type { KeptParameters } from './keptParameters.ts';

/** Who changed the parameters: the form that shows them keeps its unfinished input after its own changes. */
type ChangedBy = 'form' | 'other';

/**
 * The parameters of one chat. Until the chat has its own, by the user's choice or by its first question, they are
 * the default of its model.
 */
export class ChosenParameters {
  readonly kept: KeptParameters;
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#onDidChange.event;
  #own: ChatParameters | undefined;
  #beforeReset: ChatParameters | undefined;
  #changes = 0;
  #changesElsewhere = 0;

  constructor(kept: KeptParameters, own?: ChatParameters) {
    this.kept = kept;
    this.#own = own;
  }

  /** The chat's own; undefined while it has those of its model. */
  get chosen(): ChatParameters | undefined {
    return this.#own;
  }

  /** The parameters to ask a model with. */
  for(model: string | undefined): ChatParameters {
    return this.#own ?? (model === undefined ? undefined : this.kept.defaultOf(model)) ?? noParameters;
  }

  /** Whether the last change was a reset, which can be undone. */
  get wasReset(): boolean {
    return this.#beforeReset !== undefined;
  }

  /** How often they changed. */
  get changes(): number {
    return this.#changes;
  }

  /** How often they changed in another way than by the form. */
  get changesElsewhere(): number {
    return this.#changesElsewhere;
  }

  choose(parameters: ChatParameters, by: ChangedBy): void {
    this.#beforeReset = undefined;
    this.#own = parameters;
    this.#changed(by);
  }

  /** Keeps what a model is asked with from now on, whatever becomes of its default. */
  keep(model: string): void {
    this.#own ??= this.for(model);
  }

  reset(model: string | undefined): void {
    this.#beforeReset = this.for(model);
    this.#own = noParameters;
    this.#changed('other');
  }

  undoReset(): void {
    if (this.#beforeReset) this.choose(this.#beforeReset, 'other');
  }

  /** Tells that the default of a model may have changed. */
  refresh(): void {
    this.#changed('other');
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }

  #changed(by: ChangedBy): void {
    this.#changes += 1;
    if (by === 'other') this.#changesElsewhere += 1;
    this.#onDidChange.fire();
  }
}
