import * as vscode from 'vscode';
import { hasAccountModels } from '../setup/hostChat.ts';

/** VS Code's settings for the model that writes titles and commit messages, below `chat`. */
const settingNames = ['byokUtilityModelDefault', 'utilityModel', 'utilitySmallModel'] as const;

type SettingName = (typeof settingNames)[number];
type Settings = Readonly<Partial<Record<SettingName, unknown>>>;

const beforeKey = 'utilityModelBefore';

/** The setting's value that lets the model of a chat also write its title. */
const modelOfChat = 'mainAgent';

/** Whether this VS Code has such a setting (since 1.128). */
export function hasUtilityModel(): boolean {
  return chat().inspect('byokUtilityModelDefault')?.defaultValue !== undefined;
}

/**
 * Whether VS Code's own chat has no model for titles and commit messages: the user chose none, and VS Code's own
 * account has none. Sends nothing and shows no dialog.
 */
export async function lacksUtilityModel(): Promise<boolean> {
  if (!hasUtilityModel()) return false;
  const { byokUtilityModelDefault: fallback, utilityModel, utilitySmallModel } = currentValues();
  if ((utilityModel && utilitySmallModel) || fallback === modelOfChat) return false;
  if (fallback === 'none') return true;
  return !(await hasAccountModels());
}

/**
 * Sets the model that writes titles and commit messages. The earlier settings are stored for
 * `restoreUtilityModel`.
 *
 * @param model vendor and id; undefined for the model of each chat
 */
export async function setUtilityModel(memory: vscode.Memento, model: string | undefined): Promise<void> {
  if (!hasEarlierSettings(memory)) await memory.update(beforeKey, userValues());
  await write(
    model === undefined
      ? { byokUtilityModelDefault: modelOfChat, utilityModel: undefined, utilitySmallModel: undefined }
      : { utilityModel: model, utilitySmallModel: model },
  );
}

/** Whether earlier settings are stored. */
export function hasEarlierSettings(memory: vscode.Memento): boolean {
  return memory.get(beforeKey) !== undefined;
}

/** Restores the user's earlier settings. */
export async function restoreUtilityModel(memory: vscode.Memento): Promise<void> {
  const before = memory.get<Settings>(beforeKey, {});
  await write(Object.fromEntries(settingNames.map((name) => [name, before[name]])));
  await memory.update(beforeKey, undefined);
}

function chat(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration('chat');
}

function currentValues(): Settings {
  return Object.fromEntries(settingNames.map((name) => [name, chat().get(name)]));
}

/** The values that the user set, without defaults. */
function userValues(): Settings {
  const values = settingNames.map((name) => [name, chat().inspect(name)?.globalValue] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

async function write(settings: Settings): Promise<void> {
  for (const [name, value] of Object.entries(settings))
    await chat().update(name, value, vscode.ConfigurationTarget.Global);
}
