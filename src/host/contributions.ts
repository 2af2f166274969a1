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
  | 'generate'
  | 'generate.chooseModel'
  | 'generate.chooseRoute'
  | 'tasks.openPage'
  | 'tasks.refresh'
  | 'tasks.sort'
  | 'tasks.filter'
  | 'tasks.clearFilter'
  | 'tasks.loadMore'
  | 'tasks.showMore'
  | 'tasks.watchNow'
  | 'tasks.stopWatching'
  | 'tasks.resume'
  | 'tasks.cancel'
  | 'tasks.delete'
  | 'tasks.remove'
  | 'tasks.runAgain'
  | 'tasks.send'
  | 'tasks.discard'
  | 'tasks.find'
  | 'tasks.adopt'
  | 'tasks.save'
  | 'tasks.reveal'
  | 'tasks.openInPlayer'
  | 'tasks.fetchResult'
  | 'tasks.stopFetching'
  | 'tasks.copyId'
  | 'tasks.copyRequestId'
  | 'tasks.copyRequest'
  | 'tasks.copyRecord'
  | 'tasks.copyText'
  | 'tasks.copyLink'
  | 'showMenu'
  | 'showLog'
  | 'openTimeouts'
  | 'openProxySettings'
  | 'chat.chooseModel'
  | 'chat.chooseStyle'
  | 'chat.move'
  | 'chat.stop'
  | 'chat.again'
  | 'chat.copyReply'
  | 'chat.copyCode'
  | 'chat.clear'
  | 'chat.focusComposer'
  | 'chat.focusLastReply';

type ContextKey = 'hasProfile' | 'chatStreaming' | 'hasTasks' | 'tasksFiltered';

const prefix = 'modelGateway';

export const extensionName = 'Model Gateway';
export const modelsViewId = `${prefix}.models`;
export const tasksViewId = `${prefix}.tasks`;
export const chatPanelType = `${prefix}.chat`;
export const generatePanelType = `${prefix}.generate`;
export const taskPanelType = `${prefix}.task`;
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
