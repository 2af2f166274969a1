import type * as vscode from 'vscode';
import { ChatSettingsChange, hasChatSetting, readChatSetting } from './chatSettings.ts';
import { hasAccountModels } from './vsCodeChat.ts';

/** VS Code's settings for the model that writes titles and commit messages, below `chat`. */
const defaultSetting = 'byokUtilityModelDefault';
const modelSettings = ['utilityModel', 'utilitySmallModel'] as const;

/** With this value, the model of a chat also writes its title. */
const modelOfChat = 'mainAgent';

/** Whether this VS Code has a setting for the model (since 1.128). */
export function hasUtilityModelSetting(): boolean {
  return hasChatSetting(defaultSetting);
}

/**
 * Whether VS Code's own chat has no model for titles and commit messages: the user chose none, and VS Code's own
 * account has none. Does not send a request or show a dialog.
 */
export async function lacksUtilityModel(): Promise<boolean> {
  if (!hasUtilityModelSetting()) return false;
  const fallback = readChatSetting(defaultSetting);
  if (modelSettings.every(readChatSetting) || fallback === modelOfChat) return false;
  if (fallback === 'none') return true;
  return !(await hasAccountModels());
}

/** The model that writes titles and commit messages, as a change of VS Code's settings. */
export class UtilityModelChange extends ChatSettingsChange {
  constructor(memory: vscode.Memento) {
    super(memory, 'utilityModelChanges');
  }

  /**
   * @param model vendor and id; undefined for the model of each chat
   * @returns a function that undoes the change
   */
  setModel(model: string | undefined): Promise<() => Promise<void>> {
    const models = Object.fromEntries(modelSettings.map((name) => [name, model]));
    return this.apply(model === undefined ? { [defaultSetting]: modelOfChat, ...models } : models);
  }
}
