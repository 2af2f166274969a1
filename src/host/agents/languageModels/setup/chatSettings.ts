import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';

/** Values of VS Code's settings below `chat`, by their names. */
type ChatSettingValues = Readonly<Record<string, unknown>>;

/** Whether this VS Code has the setting. */
export function hasChatSetting(name: string): boolean {
  return chatConfiguration().inspect(name)?.defaultValue !== undefined;
}

/** The current value of a setting, with VS Code's defaults and experiments. */
export function readChatSetting(name: string): unknown {
  return chatConfiguration().get(name);
}

/** A changed setting. A value is null if the user has not set it. */
interface ChangedSetting {
  /** The user's value before the first of our changes. */
  readonly before: unknown;
  /** Our last value. If the setting has another one, the user has changed it since. */
  readonly ours: unknown;
}

type ChangedSettings = Readonly<Record<string, ChangedSetting>>;

/** Changes of VS Code's own chat settings that can be undone, also after a restart. */
export class ChatSettingsChange {
  readonly #memory: vscode.Memento;
  readonly #key: string;

  /** @param key of the changed settings in `memory` */
  constructor(memory: vscode.Memento, key: string) {
    this.#memory = memory;
    this.#key = key;
  }

  /** Whether there are changes to restore. */
  get canRestore(): boolean {
    return Object.keys(this.#changed).length > 0;
  }

  /**
   * Changes the user's settings: all, or none if one cannot be changed.
   *
   * @returns a function that undoes only this change, except in settings that the user has changed since
   */
  async apply(values: ChatSettingValues): Promise<() => Promise<void>> {
    const earlierChanges = this.#changed;
    const changes = Object.entries(values).map(([name, value]) => {
      const before = userValue(name);
      const last = earlierChanges[name];
      const isStillOurs = last !== undefined && isDeepStrictEqual(last.ours, before);
      const change = { before: isStillOurs ? last.before : before, ours: value ?? null };
      return { name, before, change };
    });
    const undo = async () => {
      for (const { name, before, change } of changes) await restoreValue(name, { ...change, before });
      const others = Object.entries(this.#changed).filter(([name]) => !Object.hasOwn(values, name));
      const restored = Object.entries(earlierChanges).filter(([name]) => Object.hasOwn(values, name));
      await this.#store(Object.fromEntries([...others, ...restored]));
    };
    await this.#store({
      ...earlierChanges,
      ...Object.fromEntries(changes.map(({ name, change }) => [name, change])),
    });
    try {
      for (const [name, value] of Object.entries(values)) await writeUserValue(name, value);
    } catch (error) {
      await undo();
      throw error;
    }
    return undo;
  }

  /** Restores the values before all changes, except settings that the user has changed since. */
  async restore(): Promise<void> {
    for (const [name, change] of Object.entries(this.#changed)) await restoreValue(name, change);
    await this.#store({});
  }

  get #changed(): ChangedSettings {
    return this.#memory.get<ChangedSettings>(this.#key, {});
  }

  async #store(changed: ChangedSettings): Promise<void> {
    await this.#memory.update(this.#key, Object.keys(changed).length > 0 ? changed : undefined);
  }
}

/** Writes the value before the change, unless the user has changed the setting since. */
async function restoreValue(name: string, { before, ours }: ChangedSetting): Promise<void> {
  const current = userValue(name);
  if (isDeepStrictEqual(current, ours) && !isDeepStrictEqual(current, before))
    await writeUserValue(name, before);
}

function userValue(name: string): unknown {
  return chatConfiguration().inspect(name)?.globalValue ?? null;
}

async function writeUserValue(name: string, value: unknown): Promise<void> {
  await chatConfiguration().update(name, value ?? undefined, vscode.ConfigurationTarget.Global);
}

function chatConfiguration(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration('chat');
}
