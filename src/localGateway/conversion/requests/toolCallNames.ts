import type { ForeignResult } from '../../../wire/message.ts';

/** The names of the tools called so far, since most formats write the id of the call alone with a result. */
export class ToolCallNames {
  readonly #names = new Map<string, string>();

  note(id: string, name: string): void {
    this.#names.set(id, name);
  }

  result(id: string, content: Pick<ForeignResult, 'text' | 'pictures' | 'failed'>): ForeignResult {
    return { type: 'toolResult', id, name: this.#names.get(id) ?? '', ...content };
  }
}
