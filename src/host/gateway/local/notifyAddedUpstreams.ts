import * as vscode from 'vscode';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import { localEntry } from '../../connection/gateways.ts';
import { formatModelCount } from '../../kit/countWords.ts';
import { joinNames } from '../../kit/display/joinNames.ts';
import { notify } from '../../kit/display/notify.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import { runCommand } from '../../kit/manifest/contributions.ts';
import { isDemoModel } from '../../models/demoModels.ts';
import type { GatewayServices } from '../gatewayServices.ts';

/** The ids of the local gateway's models, as far as this window knows them. */
export function localModelIds({ connection }: GatewayServices): ReadonlySet<string> {
  return new Set(connection.get(localEntry).state.models.map(({ id }) => id));
}

/**
 * Reports the new upstreams. A window without a gateway opens a conversation at once; other windows offer one.
 *
 * @param names of the new upstreams
 * @param before the ids of the models before the change
 */
export async function notifyAddedUpstreams(
  services: GatewayServices,
  names: readonly string[],
  before: ReadonlySet<string>,
): Promise<void> {
  const { gateways, connection, localUpstreams } = services;
  await localUpstreams.refresh();
  const { models } = await connection.get(localEntry).refresh();
  const upstreams = localUpstreams.state.status?.upstreams ?? [];
  const added = upstreams.filter(({ name }) => names.includes(name));
  const list = joinNames(names);
  const problem = added.find((each) => each.problem !== undefined)?.problem;
  if (problem !== undefined)
    return notifyNoModels(vscode.l10n.t('{0} was added, but does not list its models. {1}', list, problem));
  const count = added.reduce((sum, each) => sum + each.models, 0);
  if (count === 0) return notifyNoModels(vscode.l10n.t('{0} was added, but lists no models yet.', list));
  const words =
    names.length === 1
      ? vscode.l10n.t('{0} was added: {1}.', list, formatModelCount(count))
      : vscode.l10n.t('{0} were added: {1}.', list, formatModelCount(count));
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

async function notifyNoModels(words: string): Promise<void> {
  const edit = vscode.l10n.t('Edit Configuration');
  if ((await notify('warning', words, edit)) === edit) await runCommand('localGateway.editConfiguration');
}

/** The first new model for chats, preferably of the new upstreams. */
function chatModelOf(
  { modelChoices }: GatewayServices,
  names: readonly string[],
  before: ReadonlySet<string>,
  models: readonly Model[],
): Model | undefined {
  const newModels = models.filter(({ id }) => !before.has(id) && !isDemoModel(localEntry, id));
  const forChats = modelChoices.modelsFor('chat', localEntry, newModels);
  // Models of other upstreams also have new ids if they now need a prefix.
  return forChats.find(({ id }) => names.some((name) => id.startsWith(`${name}/`))) ?? forChats[0];
}
