import * as vscode from 'vscode';
import { GatewayError } from '../wire/failure.ts';
import * as chat from './chat/chatCommands.ts';
import * as moveChat from './chat/moveChat.ts';
import * as connect from './connection/connectCommands.ts';
import * as profiles from './connection/gatewayCommands.ts';
import * as menu from './connection/menuCommands.ts';
import { type CommandId, commandName, runCommand } from './contributions.ts';
import { notify } from './display/notify.ts';
import { notifyFailure } from './failureActions.ts';
import { failureMessage } from './failureMessage.ts';
import * as generate from './generate/generateCommands.ts';
import * as models from './models/modelCommands.ts';
import type { Services } from './services.ts';
import * as taskEnds from './tasks/endCommands.ts';
import * as taskResults from './tasks/resultCommands.ts';
import * as tasks from './tasks/taskCommands.ts';

/** A command: what it does with the services, given what VS Code passes along (a tree row, or nothing). */
export type Command = (services: Services, ...args: readonly unknown[]) => unknown;

const commands: Readonly<Record<CommandId, Command>> = {
  connect: connect.connect,
  useDemoGateway: connect.useDemoGateway,
  setCredential: connect.setCredential,
  checkConnection: connect.checkConnection,
  switchProfile: profiles.switchProfile,
  removeProfile: profiles.removeProfile,
  stopLocalGateway: profiles.stopLocalGateway,
  refreshModels: models.refreshModels,
  findModel: models.findModel,
  copyModelId: models.copyModelId,
  newChat: chat.newChat,
  'chat.chooseModel': chat.chooseModel,
  'chat.chooseStyle': chat.chooseStyle,
  'chat.move': moveChat.move,
  'chat.stop': chat.stop,
  'chat.again': chat.again,
  'chat.copyReply': chat.copyReply,
  'chat.copyCode': chat.copyCode,
  'chat.clear': chat.clear,
  'chat.focusComposer': chat.focusComposer,
  'chat.focusLastReply': chat.focusLastReply,
  generate: generate.generate,
  'generate.chooseModel': generate.chooseModel,
  'generate.chooseRoute': generate.chooseRoute,
  'tasks.openPage': tasks.open,
  'tasks.refresh': tasks.refresh,
  'tasks.sort': tasks.sort,
  'tasks.filter': tasks.filter,
  'tasks.clearFilter': tasks.clearFilter,
  'tasks.loadMore': tasks.loadMore,
  'tasks.showMore': tasks.showMore,
  'tasks.watchNow': tasks.watchNow,
  'tasks.stopWatching': tasks.stopWatching,
  'tasks.resume': tasks.resume,
  'tasks.cancel': taskEnds.cancel,
  'tasks.delete': taskEnds.deleteAtGateway,
  'tasks.remove': taskEnds.remove,
  'tasks.runAgain': tasks.runAgain,
  'tasks.send': tasks.send,
  'tasks.discard': taskEnds.discard,
  'tasks.find': tasks.find,
  'tasks.adopt': tasks.adopt,
  'tasks.save': taskResults.save,
  'tasks.reveal': taskResults.reveal,
  'tasks.openInPlayer': taskResults.openInPlayer,
  'tasks.fetchResult': taskResults.fetchResult,
  'tasks.stopFetching': taskResults.stopFetching,
  'tasks.copyId': taskResults.copyId,
  'tasks.copyRequestId': taskResults.copyRequestId,
  'tasks.copyRequest': taskResults.copyRequest,
  'tasks.copyRecord': taskResults.copyRecord,
  'tasks.copyText': taskResults.copyText,
  'tasks.copyLink': taskResults.copyLink,
  showMenu: menu.showMenu,
  showLog: menu.showLog,
  openTimeouts: menu.openTimeouts,
  openProxySettings: menu.openProxySettings,
};

/** Registers every command, so that each exists from the start whatever state the gateway is in. */
export function registerCommands(context: vscode.ExtensionContext, services: Services): void {
  for (const [id, command] of Object.entries(commands)) {
    const run = (...args: readonly unknown[]) => guarded(id as CommandId, command, services, args);
    context.subscriptions.push(vscode.commands.registerCommand(commandName(id as CommandId), run));
  }
}

/** Runs a command; what it throws is logged and told once, with what can be done. */
async function guarded(
  id: CommandId,
  command: Command,
  services: Services,
  args: readonly unknown[],
): Promise<void> {
  try {
    await command(services, ...args);
  } catch (error) {
    if (GatewayError.is(error, 'cancelled')) return;
    services.log.error(
      'command',
      `${id}: ${error instanceof Error ? (error.stack ?? error.message) : error}`,
    );
    const again = () => void runCommand(id, ...args);
    if (GatewayError.is(error)) await notifyFailure(failureMessage(error), again);
    else await notifyUnexpected(error, services);
  }
}

async function notifyUnexpected(error: unknown, services: Services): Promise<void> {
  const show = vscode.l10n.t('Show log');
  const text = error instanceof Error ? error.message : String(error);
  if ((await notify('error', text, show)) === show) services.log.show();
}
