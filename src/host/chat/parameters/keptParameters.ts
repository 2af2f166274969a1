import type * as vscode from 'vscode';
import { jsonText } from '../../../base/json.ts';
import { type ChatParameters, isUnset } from '../../../conversations/conversation/chatParameters.ts';
import { type AcceptParameters, parameterCheck } from '../../kit/pages/parameterSchema.ts';
import { type CheckedParameters, checkedParameters, maxKeptLength } from './checkedParameters.ts';

export const maxPresets = 100;

/** The longest name of a preset, in UTF-16 units. */
export const maxNameLength = 80;

/** A set of parameters that the user named. */
export interface Preset {
  readonly name: string;
  readonly parameters: ChatParameters;
}

/** A preset as it is read, and what of it does not fit. */
export type KeptPreset = Preset & CheckedParameters;

/**
 * The parameters that outlive a chat: the default of each model, and named presets. Read anew at each use, since
 * other windows change them too. What another version or another hand wrote counts as far as it fits.
 */
export class KeptParameters {
  readonly #state: vscode.Memento;
  readonly #accept: AcceptParameters;

  constructor(state: vscode.Memento, accept: AcceptParameters) {
    this.#state = state;
    this.#accept = accept;
  }

  /** The parameters that new chats with a model begin with; undefined for none. */
  defaultOf(model: string): ChatParameters | undefined {
    const parameters = this.readDefault(model)?.parameters;
    return parameters && !isUnset(parameters) ? parameters : undefined;
  }

  /** What is kept as the default of a model, and what of it does not fit; undefined for nothing. */
  readDefault(model: string): CheckedParameters | undefined {
    return this.#read(defaultKey(model));
  }

  /**
   * @param parameters undefined to forget the default
   * @throws RangeError when they are longer than `maxKeptLength`
   */
  async setDefault(model: string, parameters: ChatParameters | undefined): Promise<void> {
    await this.#write(defaultKey(model), parameters && !isUnset(parameters) ? parameters : undefined);
  }

  /** All presets, in alphabetical order, also those of which nothing fits. */
  get presets(): readonly KeptPreset[] {
    return this.#state
      .keys()
      .filter((key) => key.startsWith(presetPrefix))
      .flatMap((key) => {
        const read = this.#read(key);
        return read ? [{ name: key.slice(presetPrefix.length), ...read }] : [];
      })
      .toSorted((one, other) => one.name.localeCompare(other.name));
  }

  /** @throws RangeError when the parameters are longer than `maxKeptLength` */
  async savePreset({ name, parameters }: Preset): Promise<void> {
    await this.#write(presetPrefix + name, parameters);
  }

  async removePreset(name: string): Promise<void> {
    await this.#write(presetPrefix + name, undefined);
  }

  #read(key: string): CheckedParameters | undefined {
    const kept = this.#state.get<unknown>(key);
    return kept === undefined ? undefined : checkedParameters(kept, this.#accept);
  }

  async #write(key: string, parameters: ChatParameters | undefined): Promise<void> {
    const length = jsonText(parameters)?.length ?? 0;
    if (length > maxKeptLength) throw new RangeError(`${length} characters of parameters`);
    await this.#state.update(key, parameters);
  }
}

/** Loads the schemas by which what is kept is checked. */
export async function loadKeptParameters(state: vscode.Memento): Promise<KeptParameters> {
  return new KeptParameters(state, await parameterCheck());
}

const presetPrefix = 'parameterPreset/';

function defaultKey(model: string): string {
  return `parameterDefault/${model}`;
}
