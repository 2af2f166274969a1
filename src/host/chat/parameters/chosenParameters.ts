import * as vscode from 'vscode';
import { type ChatParameters, noParameters } from '../../../conversations/chatParameters.ts';
import type { KeptParameters } from './keptParameters.ts';

/** Who changed the parameters: the form that shows them keeps its unfinished input after its own changes. */
export type ChangedBy = 'form' | 'other';

/**
 * The parameters of one chat. Until the chat has its own, by the user's choice or by its first question, they are
 * the default of its model.
 */
export class ChosenParameters {
  readonly kept: KeptParameters;
  readonly #onDidChange = new vscode.EventEmitter<ChangedBy>();
  readonly onDidChange = this.#onDidChange.event;
  #own: ChatParameters | undefined;
  #beforeReset: ChatParameters | undefined;

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

  choose(parameters: ChatParameters, by: ChangedBy): void {
    this.#beforeReset = undefined;
    this.#own = parameters;
    this.#onDidChange.fire(by);
  }

  /** Keeps what a model is asked with from now on, whatever becomes of its default. */
  keep(model: string): void {
    this.#own ??= this.for(model);
  }

  reset(model: string | undefined): void {
    const before = this.for(model);
    this.choose(noParameters, 'other');
    this.#beforeReset = before;
    this.#onDidChange.fire('other');
  }

  undoReset(): void {
    if (this.#beforeReset) this.choose(this.#beforeReset, 'other');
  }

  /** Tells that the default of a model may have changed. */
  refresh(): void {
    this.#onDidChange.fire('other');
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }
}
