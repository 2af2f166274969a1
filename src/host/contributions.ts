import * as vscode from 'vscode';
import type manifest from '../../package.json';
import type texts from '../../package.nls.json';

/** Every command without the common prefix, as package.nls.json gives it a title. */
export type CommandId = keyof typeof texts extends infer Text
  ? Text extends `command.${infer Id}.title`
    ? Id
    : never
  : never;

/** Every view without the common prefix, as package.nls.json names it. */
type ViewName = keyof typeof texts extends infer Text
  ? Text extends `view.${infer Name}.name`
    ? Name
    : never
  : never;

type Setting = keyof (typeof manifest)['contributes']['configuration']['properties'];

/** Every setting without the common prefix, as package.json declares it. */
export type SettingKey = Setting extends `modelGateway.${infer Key}` ? Key : never;

type ContextKey = 'hasGateway' | 'chatStreaming' | 'hasTasks' | 'tasksFiltered';

const prefix = 'modelGateway';

export const extensionName = 'Model Gateway';
export const settingsSection = prefix;

export function commandName(id: CommandId): string {
  return `${prefix}.${id}`;
}

export function viewId(name: ViewName): string {
  return `${prefix}.${name}`;
}

/** The view type of a kind of panel. */
export function panelType(name: string): string {
  return `${prefix}.${name}`;
}

/** The id of a command of the manifest; the manifest's test holds that there are no others. */
export function commandId(name: string): CommandId {
  return name.slice(prefix.length + 1) as CommandId;
}

/** Runs one of our own commands, with its errors handled as for a user. */
export function runCommand(id: CommandId, ...args: unknown[]): Thenable<unknown> {
  return vscode.commands.executeCommand(commandName(id), ...args);
}

export function setContextKey(key: ContextKey, value: boolean): void {
  void vscode.commands.executeCommand('setContext', `${prefix}.${key}`, value);
}
