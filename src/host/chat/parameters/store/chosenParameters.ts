import * as vscode from 'vscode';
import { type ChatParameters, noParameters } from '../../../../conversations/conversation/chatParameters.ts';
import type { ParameterStore } from './parameterStore.ts';

/** The origin of a change. The form preserves unfinished input after its own changes, but not after other changes. */
type ChangeOrigin = 'form' | 'other';

/**
 * The parameters of a chat. They are the default parameters of its model until the user chooses parameters or sends
 * the first question.
 */
export class ChosenParameters {
  readonly store: ParameterStore;
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#onDidChange.event;
  #own: ChatParameters | undefined;
  #beforeReset: ChatParameters | undefined;
  #changes = 0;
  #externalChanges = 0;

  constructor(store: ParameterStore, own?: ChatParameters) {
    this.store = store;
    this.#own = own;
  }

  /** The chat's own parameters; undefined while the chat uses the default parameters of its model. */
  get own(): ChatParameters | undefined {
    return this.#own;
  }

  /** Returns the parameters for requests to a model. */
  getForModel(model: string | undefined): ChatParameters {
    return (
      this.#own ?? (model === undefined ? undefined : this.store.getDefaultParameters(model)) ?? noParameters
    );
  }

  /** Whether the last change was a reset, which can be undone. */
  get wasReset(): boolean {
    return this.#beforeReset !== undefined;
  }

  /** The number of changes. */
  get changes(): number {
    return this.#changes;
  }

  /** The number of changes whose origin is not the form. */
  get externalChanges(): number {
    return this.#externalChanges;
  }

  choose(parameters: ChatParameters, origin: ChangeOrigin): void {
    this.#beforeReset = undefined;
    this.#own = parameters;
    this.#notifyChange(origin);
  }

  /** Copies the default parameters of a model, so that later changes of the default do not affect the chat. */
  adoptDefault(model: string): void {
    this.#own ??= this.getForModel(model);
  }

  reset(model: string | undefined): void {
    this.#beforeReset = this.getForModel(model);
    this.#own = noParameters;
    this.#notifyChange('other');
  }

  undoReset(): void {
    if (this.#beforeReset) this.choose(this.#beforeReset, 'other');
  }

  /** Notifies listeners that the default of a model may have changed. */
  refresh(): void {
    this.#notifyChange('other');
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }

  #notifyChange(origin: ChangeOrigin): void {
    this.#changes += 1;
    if (origin === 'other') this.#externalChanges += 1;
    this.#onDidChange.fire();
  }
}
