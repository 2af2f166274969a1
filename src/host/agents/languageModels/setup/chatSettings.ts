import * as vscode from 'vscode';

/** Values of VS Code's settings below `chat`, by their names. */
type ChatSettingValues = Readonly<Record<string, unknown>>;

/** Whether this VS Code has the setting. */
export function hasChatSetting(name: string): boolean {
  return chat().inspect(name)?.defaultValue !== undefined;
}

/** The current value of a setting, with VS Code's defaults and experiments. */
export function chatSetting(name: string): unknown {
  return chat().get(name);
}

/** Changes of VS Code's own chat settings that can be undone, also after a restart. */
export class ChatSettingsChange {
  readonly #memory: vscode.Memento;
  readonly #key: string;

  /** @param key of the earlier values in `memory` */
  constructor(memory: vscode.Memento, key: string) {
    this.#memory = memory;
    this.#key = key;
  }

  /** Whether earlier values are stored. */
  get canRestore(): boolean {
    return this.#memory.get(this.#key) !== undefined;
  }

  /**
   * Sets the user's values. The values before the first change are stored; without the user's own value, VS Code's
   * default applies again after `restore`.
   */
  async make(values: ChatSettingValues): Promise<void> {
    const before = this.#memory.get<ChatSettingValues>(this.#key, {});
    const added = Object.keys(values).filter((name) => !Object.hasOwn(before, name));
    await this.#memory.update(this.#key, {
      ...Object.fromEntries(added.map((name) => [name, chat().inspect(name)?.globalValue ?? null])),
      ...before,
    });
    await write(values);
  }

  async restore(): Promise<void> {
    const before = this.#memory.get<ChatSettingValues>(this.#key, {});
    await write(
      Object.fromEntries(Object.entries(before).map(([name, value]) => [name, value ?? undefined])),
    );
    await this.#memory.update(this.#key, undefined);
  }
}

async function write(values: ChatSettingValues): Promise<void> {
  for (const [name, value] of Object.entries(values))
    await chat().update(name, value, vscode.ConfigurationTarget.Global);
}

function chat(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration('chat');
}
