import type * as vscode from 'vscode';
import { isObject, type JsonObject, jsonText } from '../../base/json.ts';
import {
  type ChatParameters,
  isUnset,
  noParameters,
  withCommon,
  withOthers,
} from '../../conversations/chatParameters.ts';
import { commonName, commonValues, systemPrompt } from '../../protocol/parameters.ts';
import { textFormatId } from '../../wire/apis/textFormats.ts';

/** The most that is kept of one set of parameters, as JSON, in UTF-16 units. */
export const maxKeptLength = 128 * 1024;

export const maxPresets = 100;

/** The longest name of a preset, in UTF-16 units. */
export const maxNameLength = 80;

/** A set of parameters that the user named. */
export interface Preset {
  readonly name: string;
  readonly parameters: ChatParameters;
}

/**
 * The parameters that outlive a chat: the default of each model, and named presets. Read anew at each use, since
 * other windows change them too. What another version or another hand wrote counts as far as it is understood.
 */
export class KeptParameters {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  /** The parameters that new chats with a model begin with; undefined for none. */
  defaultOf(model: string): ChatParameters | undefined {
    return readParameters(this.#state.get(defaultKey(model)));
  }

  /**
   * @param parameters undefined to forget the default
   * @throws RangeError when they are longer than `maxKeptLength`
   */
  async setDefault(model: string, parameters: ChatParameters | undefined): Promise<void> {
    await this.#write(defaultKey(model), parameters && !isUnset(parameters) ? parameters : undefined);
  }

  /** All presets, in alphabetical order. */
  get presets(): readonly Preset[] {
    return this.#state
      .keys()
      .filter((key) => key.startsWith(presetPrefix))
      .flatMap((key) => {
        const parameters = readParameters(this.#state.get(key));
        return parameters ? [{ name: key.slice(presetPrefix.length), parameters }] : [];
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

  async #write(key: string, parameters: ChatParameters | undefined): Promise<void> {
    const length = jsonText(parameters)?.length ?? 0;
    if (length > maxKeptLength) throw new RangeError(`${length} characters of parameters`);
    await this.#state.update(key, parameters);
  }
}

const presetPrefix = 'parameterPreset/';

function defaultKey(model: string): string {
  return `parameterDefault/${model}`;
}

/** The parameters in a kept value, without what is not understood; undefined for a value that holds none. */
function readParameters(kept: unknown): ChatParameters | undefined {
  if (!isObject(kept) || (jsonText(kept)?.length ?? Infinity) > maxKeptLength) return undefined;
  const prompt = systemPrompt.safeParse(kept.systemPrompt);
  const read = readOthers(kept.others, readCommon(kept.common));
  const parameters = { ...read, systemPrompt: prompt.success ? prompt.data : '' };
  return isUnset(parameters) ? undefined : parameters;
}

function readCommon(kept: unknown): ChatParameters {
  if (!isObject(kept)) return noParameters;
  return commonName.options.reduce((read, name) => {
    const value = Object.hasOwn(kept, name) ? commonValues[name].safeParse(kept[name]) : undefined;
    return value?.success ? withCommon(read, name, value.data) : read;
  }, noParameters);
}

function readOthers(kept: unknown, parameters: ChatParameters): ChatParameters {
  const byFormat: JsonObject = isObject(kept) ? kept : {};
  return Object.entries(byFormat).reduce((read, [name, fields]) => {
    const format = textFormatId(name);
    return format !== undefined && isObject(fields) ? withOthers(read, format, fields) : read;
  }, parameters);
}
