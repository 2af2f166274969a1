import type * as vscode from 'vscode';
import { type CommandId, setContextKey } from './contributions.ts';

/** The views that are hidden until one of their commands is used: the beginning of its id, and the context key. */
const views = [
  { commands: /^(?:tasks\.|generate)/, key: 'usesTasks' },
  { commands: /^requests\./, key: 'usesRequests' },
  { commands: /^localGateway\./, key: 'usesLocalGateway' },
] as const;

const memoryKey = 'usedViews';

/** Remembers which of the views that are hidden at first were used, so that they stay in the side bar. */
export class UsedViews {
  readonly #state: vscode.Memento;

  /** @param state of all windows */
  constructor(state: vscode.Memento) {
    this.#state = state;
    for (const key of this.#used) setContextKey(key, true);
  }

  /** Shows the view that a command belongs to. */
  note(command: CommandId): void {
    const view = views.find(({ commands }) => commands.test(command));
    if (!view || this.#used.includes(view.key)) return;
    setContextKey(view.key, true);
    void this.#state.update(memoryKey, [...this.#used, view.key]);
  }

  get #used(): readonly (typeof views)[number]['key'][] {
    const used = this.#state.get<unknown>(memoryKey);
    return views.map(({ key }) => key).filter((key) => Array.isArray(used) && used.includes(key));
  }
}
