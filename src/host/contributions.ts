import * as vscode from 'vscode';

/** Every command, as package.json declares it, without the common prefix. */
export type CommandId =
  | 'connect'
  | 'useDemoGateway'
  | 'switchProfile'
  | 'setCredential'
  | 'removeProfile'
  | 'checkConnection'
  | 'stopLocalGateway'
  | 'refreshModels'
  | 'findModel'
  | 'copyModelId'
  | 'newChat'
  | 'showMenu'
  | 'showLog'
  | 'openTimeouts'
  | 'chat.chooseModel'
  | 'chat.chooseStyle'
  | 'chat.stop'
  | 'chat.again'
  | 'chat.copyReply'
  | 'chat.copyCode'
  | 'chat.clear'
  | 'chat.focusComposer'
  | 'chat.focusLastReply';

type ContextKey = 'hasProfile' | 'chatStreaming';

const prefix = 'modelGateway';

export const extensionName = 'Model Gateway';
export const modelsViewId = `${prefix}.models`;
export const chatPanelType = `${prefix}.chat`;
export const settingsSection = prefix;

export function commandName(id: CommandId): string {
  return `${prefix}.${id}`;
}

/** Runs one of our own commands, with its errors handled as for a user. */
export function runCommand(id: CommandId, ...args: unknown[]): Thenable<unknown> {
  return vscode.commands.executeCommand(commandName(id), ...args);
}

export function setContextKey(key: ContextKey, value: boolean): void {
  void vscode.commands.executeCommand('setContext', `${prefix}.${key}`, value);
}
