import type * as vscode from 'vscode';
import { isObject } from '../../../base/json.ts';
import { redact } from '../../../wire/secrets/redact.ts';
import type { InputValues } from './promptTemplate.ts';

/** The maximum number of prompts whose values are stored. */
const maxPrompts = 50;

/** The maximum length of a stored value, in UTF-16 units. */
const maxValueLength = 4096;

const memoryKey = 'promptValues';

/** Stores the user's input for the last run of each prompt, but not values that look like credentials. */
export class PromptMemory {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  /**
   * Returns the values of the last run of a prompt, by the names of its inputs.
   *
   * @param prompt the URI of the prompt
   */
  read(prompt: string): InputValues {
    const all = this.#all;
    const storedValues = Object.hasOwn(all, prompt) ? all[prompt] : undefined;
    const texts = isObject(storedValues) ? Object.entries(storedValues) : [];
    return Object.fromEntries(
      texts.flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : [])),
    );
  }

  async remember(prompt: string, input: InputValues): Promise<void> {
    const storableValues = Object.fromEntries(Object.entries(input).filter(([, text]) => isStorable(text)));
    const { [prompt]: _, ...others } = this.#all;
    const entries = [...Object.entries(others), [prompt, storableValues] as const];
    await this.#state.update(memoryKey, Object.fromEntries(entries.slice(-maxPrompts)));
  }

  get #all(): Readonly<Record<string, unknown>> {
    const all = this.#state.get<unknown>(memoryKey);
    return isObject(all) ? all : {};
  }
}

function isStorable(text: string): boolean {
  return text.length <= maxValueLength && redact(text, []) === text;
}
