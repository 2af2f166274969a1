import type * as vscode from 'vscode';
import { isObject } from '../../../base/json.ts';
import { redact } from '../../../wire/secrets/redact.ts';

type Written = Readonly<Record<string, string>>;

/** Of so many prompts the values are kept. */
const maxPrompts = 50;

/** A longer value is not kept, in UTF-16 units. */
const maxValueLength = 4096;

const key = 'promptValues';

/** What was written when prompts were run last. Nothing that looks like a credential is kept. */
export class PromptMemory {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  /** The values of the last run of a prompt, by the names of its inputs. */
  of(prompt: string): Written {
    const all = this.#all;
    const kept = Object.hasOwn(all, prompt) ? all[prompt] : undefined;
    const texts = isObject(kept) ? Object.entries(kept) : [];
    return Object.fromEntries(
      texts.flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : [])),
    );
  }

  async remember(prompt: string, written: Written): Promise<void> {
    const kept = Object.fromEntries(Object.entries(written).filter(([, text]) => isKept(text)));
    const { [prompt]: _, ...others } = this.#all;
    const entries = [...Object.entries(others), [prompt, kept] as const];
    await this.#state.update(key, Object.fromEntries(entries.slice(-maxPrompts)));
  }

  get #all(): Readonly<Record<string, unknown>> {
    const all = this.#state.get<unknown>(key);
    return isObject(all) ? all : {};
  }
}

function isKept(text: string): boolean {
  return text.length <= maxValueLength && redact(text, []) === text;
}
