import * as vscode from 'vscode';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import { localEntry } from '../../connection/gateways.ts';
import { modelCount } from '../../kit/counts.ts';
import { listed } from '../../kit/display/listed.ts';
import { notify } from '../../kit/display/notify.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import { runCommand } from '../../kit/manifest/contributions.ts';
import { isDemoModel } from '../../models/demoModels.ts';
import type { GatewayServices } from '../gatewayServices.ts';

/** The ids of the local gateway's models, as far as they are known. */
export function knownModels({ connection }: GatewayServices): ReadonlySet<string> {
  return new Set(connection.of(localEntry).state.models.map(({ id }) => id));
}

/**
 * Says what was added. A window without a gateway begins a chat with it at once; any other is offered one.
 *
 * @param before the models of before
 */
export async function tellAdded(
  services: GatewayServices,
  names: readonly string[],
  before: ReadonlySet<string>,
): Promise<void> {
  const { gateways, connection, localUpstreams } = services;
  await localUpstreams.refresh();
  const { models } = await connection.of(localEntry).refresh();
  const upstreams = localUpstreams.state.status?.upstreams ?? [];
  const added = upstreams.filter(({ name }) => names.includes(name));
  const list = listed(names);
  const problem = added.find((each) => each.problem !== undefined)?.problem;
  if (problem !== undefined) return tellProblem(list, problem);
  const count = added.reduce((sum, each) => sum + each.models, 0);
  if (count === 0) return tellEmpty(list);
  const words =
    names.length === 1
      ? vscode.l10n.t('{0} was added: {1}.', list, modelCount(count))
      : vscode.l10n.t('{0} were added: {1}.', list, modelCount(count));
  const model = chatModelOf(services, names, before, models);
  if (gateways.current === undefined && model) {
    showStatusMessage(words, 'check');
    return void (await runCommand('useLocalGateway', model));
  }
  const isUsed = gateways.current?.kind === 'local';
  const chat = isUsed ? vscode.l10n.t('New Chat') : vscode.l10n.t('Use the Local Gateway');
  const copy = vscode.l10n.t('Copy Settings For…');
  const chosen = await notify('info', words, chat, copy);
  if (chosen === chat) await runCommand(isUsed ? 'newChat' : 'useLocalGateway', model);
  else if (chosen === copy) await runCommand('localGateway.copySettings');
}

async function tellProblem(list: string, problem: string): Promise<void> {
  const edit = vscode.l10n.t('Edit Configuration');
  const words = vscode.l10n.t('{0} was added, but does not list its models. {1}', list, problem);
  if ((await notify('warning', words, edit)) === edit) await runCommand('localGateway.editConfiguration');
}

async function tellEmpty(list: string): Promise<void> {
  const edit = vscode.l10n.t('Edit Configuration');
  const words = vscode.l10n.t('{0} was added, but lists no models yet.', list);
  if ((await notify('warning', words, edit)) === edit) await runCommand('localGateway.editConfiguration');
}

/** The first model for chats that was not there before. */
function chatModelOf(
  { modelNotes }: GatewayServices,
  names: readonly string[],
  before: ReadonlySet<string>,
  models: readonly Model[],
): Model | undefined {
  const fresh = models.filter(({ id }) => !before.has(id) && !isDemoModel(localEntry, id));
  const forChats = modelNotes.modelsFor('chat', localEntry, fresh);
  // Ids of other upstreams may have got a name before them meanwhile.
  return forChats.find(({ id }) => names.some((name) => id.startsWith(`${name}/`))) ?? forChats[0];
}
