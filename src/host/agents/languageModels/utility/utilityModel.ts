import * as vscode from 'vscode';
import { hasOwnModels } from '../setup/hostChat.ts';

/** VS Code's settings of which model writes titles and commit messages, below `chat`. */
const settingNames = ['byokUtilityModelDefault', 'utilityModel', 'utilitySmallModel'] as const;

type SettingName = (typeof settingNames)[number];
type Settings = Readonly<Partial<Record<SettingName, unknown>>>;

const beforeKey = 'utilityModelBefore';

/** The choice of VS Code that the model of a chat writes its title, too. */
const modelOfChat = 'mainAgent';

/** Whether this VS Code has such a setting (since 1.128). */
export function hasUtilityModel(): boolean {
  return chat().inspect('byokUtilityModelDefault')?.defaultValue !== undefined;
}

/**
 * Whether VS Code's own chat has no model for titles and commit messages: none is chosen, and VS Code's own account
 * has none. Nothing is sent, and nobody is asked.
 */
export async function lacksUtilityModel(): Promise<boolean> {
  if (!hasUtilityModel()) return false;
  const { byokUtilityModelDefault: otherwise, utilityModel, utilitySmallModel } = valuesNow();
  if ((utilityModel && utilitySmallModel) || otherwise === modelOfChat) return false;
  if (otherwise === 'none') return true;
  return !(await hasOwnModels());
}

/**
 * Sets which model writes titles and commit messages. What was set before is kept for `restoreUtilityModel`.
 *
 * @param model vendor and id; undefined for the model of each chat
 */
export async function setUtilityModel(memory: vscode.Memento, model: string | undefined): Promise<void> {
  if (!hasBefore(memory)) await memory.update(beforeKey, ownValues());
  await write(
    model === undefined
      ? { byokUtilityModelDefault: modelOfChat, utilityModel: undefined, utilitySmallModel: undefined }
      : { utilityModel: model, utilitySmallModel: model },
  );
}

/** Whether there is something to go back to. */
export function hasBefore(memory: vscode.Memento): boolean {
  return memory.get(beforeKey) !== undefined;
}

/** Sets what the user had before. */
export async function restoreUtilityModel(memory: vscode.Memento): Promise<void> {
  const before = memory.get<Settings>(beforeKey, {});
  await write(Object.fromEntries(settingNames.map((name) => [name, before[name]])));
  await memory.update(beforeKey, undefined);
}

function chat(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration('chat');
}

function valuesNow(): Settings {
  return Object.fromEntries(settingNames.map((name) => [name, chat().get(name)]));
}

/** What the user set, without defaults. */
function ownValues(): Settings {
  const values = settingNames.map((name) => [name, chat().inspect(name)?.globalValue] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

async function write(settings: Settings): Promise<void> {
  for (const [name, value] of Object.entries(settings))
    await chat().update(name, value, vscode.ConfigurationTarget.Global);
}
