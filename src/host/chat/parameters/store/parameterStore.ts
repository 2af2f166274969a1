import type * as vscode from 'vscode';
import { jsonText } from '../../../../base/json.ts';
import { type ChatParameters, isUnset } from '../../../../conversations/conversation/chatParameters.ts';
import { type AcceptParameters, loadParameterFilter } from '../../../kit/pages/parameterSchema.ts';
import { type CheckedParameters, checkParameters, maxStoredParametersLength } from './checkParameters.ts';

export const maxPresets = 100;

/** The maximum length of a preset's name, in UTF-16 units. */
export const maxPresetNameLength = 80;

/** A set of parameters that the user named. */
export interface Preset {
  readonly name: string;
  readonly parameters: ChatParameters;
}

/** A stored preset, with the list of its invalid parts. */
export type StoredPreset = Preset & CheckedParameters;

/**
 * The parameters that are stored for all chats: the default of each model, and named presets. Each access reads them
 * again, because other windows change them too. Invalid parts of other versions or manual edits are not used.
 */
export class ParameterStore {
  readonly #state: vscode.Memento;
  readonly #accept: AcceptParameters;

  constructor(state: vscode.Memento, accept: AcceptParameters) {
    this.#state = state;
    this.#accept = accept;
  }

  /** Returns the initial parameters of new chats with a model; undefined if no default is stored. */
  getDefaultParameters(model: string): ChatParameters | undefined {
    const parameters = this.readStoredDefault(model)?.parameters;
    return parameters && !isUnset(parameters) ? parameters : undefined;
  }

  /** Reads the stored default of a model, with the list of its invalid parts; undefined if no default is stored. */
  readStoredDefault(model: string): CheckedParameters | undefined {
    return this.#read(createDefaultKey(model));
  }

  /**
   * @param parameters undefined to remove the default
   * @throws {RangeError} if the parameters are longer than `maxStoredParametersLength`
   */
  async setDefault(model: string, parameters: ChatParameters | undefined): Promise<void> {
    await this.#write(createDefaultKey(model), parameters && !isUnset(parameters) ? parameters : undefined);
  }

  /** All presets in alphabetical order, including presets without valid parts. */
  get presets(): readonly StoredPreset[] {
    return this.#state
      .keys()
      .filter((key) => key.startsWith(presetPrefix))
      .flatMap((key) => {
        const preset = this.#read(key);
        return preset ? [{ name: key.slice(presetPrefix.length), ...preset }] : [];
      })
      .toSorted((one, other) => one.name.localeCompare(other.name));
  }

  /** @throws {RangeError} if the parameters are longer than `maxStoredParametersLength` */
  async savePreset({ name, parameters }: Preset): Promise<void> {
    await this.#write(presetPrefix + name, parameters);
  }

  /** Renames a preset, including its invalid parts. Replaces a preset that already has the new name. */
  async renamePreset(name: string, newName: string): Promise<void> {
    const stored = this.#state.get(presetPrefix + name);
    // Another window may have deleted the preset.
    if (stored === undefined) return;
    await this.#state.update(presetPrefix + newName, stored);
    await this.removePreset(name);
  }

  async removePreset(name: string): Promise<void> {
    await this.#write(presetPrefix + name, undefined);
  }

  #read(key: string): CheckedParameters | undefined {
    const stored = this.#state.get<unknown>(key);
    return stored === undefined ? undefined : checkParameters(stored, this.#accept);
  }

  async #write(key: string, parameters: ChatParameters | undefined): Promise<void> {
    const length = jsonText(parameters)?.length ?? 0;
    if (length > maxStoredParametersLength) throw new RangeError(`${length} characters of parameters`);
    await this.#state.update(key, parameters);
  }
}

/** Creates the store after loading the schemas that stored parameters are checked against. */
export async function loadParameterStore(state: vscode.Memento): Promise<ParameterStore> {
  return new ParameterStore(state, await loadParameterFilter());
}

const presetPrefix = 'parameterPreset/';

function createDefaultKey(model: string): string {
  return `parameterDefault/${model}`;
}
