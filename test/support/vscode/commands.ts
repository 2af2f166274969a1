// `vscode.commands`.
import { Disposable } from './values.ts';

type Run = (...args: readonly unknown[]) => unknown;

const registered = new Map<string, Run>();

/** Context keys of `when` clauses, as far as the extension sets them. */
export const contextKeys = new Map<string, unknown>();

export function addCommands(commands: Readonly<Record<string, Run>>): void {
  for (const [id, run] of Object.entries(commands)) registered.set(id, run);
}

addCommands({
  setContext: (key, value) => void contextKeys.set(String(key), value),
});

export const commands = {
  registerCommand(id: string, run: Run, thisArgument?: unknown): Disposable {
    if (registered.has(id)) throw new Error(`command '${id}' already exists`);
    registered.set(id, run.bind(thisArgument));
    return new Disposable(() => registered.delete(id));
  },
  async executeCommand(id: string, ...args: readonly unknown[]): Promise<unknown> {
    const run = registered.get(id);
    if (!run) throw new Error(`command '${id}' not found`);
    return run(...args);
  },
  async getCommands(filterInternal = false): Promise<string[]> {
    return [...registered.keys()].filter((id) => !filterInternal || !id.startsWith('_'));
  },
};
