import * as vscode from 'vscode';
import { untilAborted } from '../../../base/cancellation.ts';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import { GatewayControlError } from '../../connection/gatewayControl.ts';
import { localEntry } from '../../connection/gateways.ts';
import { formatModelCount } from '../../kit/countWords.ts';
import { joinNames } from '../../kit/display/joinNames.ts';
import { notify } from '../../kit/display/notify.ts';
import { withNotificationProgress } from '../../kit/display/progress.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import { runCommand } from '../../kit/manifest/contributions.ts';
import { isDemoModel } from '../../models/demoModels.ts';
import type { GatewayServices } from '../gatewayServices.ts';
import { changeConfig, readTakenNames } from './changeConfig.ts';
import { type UpstreamEntry, withUpstream } from './configEdit.ts';
import { promptForUpstream, type UpstreamChoices } from './promptForUpstream.ts';
import { openGatewayControl } from './startStop.ts';
import { createUpstreamEntry, type UpstreamDraft } from './upstreamDraft.ts';

/** Prompts for an upstream, tests it with one request, and writes it into the configuration. */
export async function addUpstream(services: GatewayServices): Promise<void> {
  const readChoices = () => readUpstreamChoices(services);
  let draft = await promptForUpstream(services, readChoices);
  while (draft !== undefined) {
    const result = await tryDraft(services, draft);
    if (result === 'cancel') return;
    if (result !== 'change') return saveUpstream(services, result);
    draft = await promptForUpstream(services, readChoices, draft);
  }
}

async function readUpstreamChoices(services: GatewayServices): Promise<UpstreamChoices | undefined> {
  const control = await openGatewayControl(services);
  const takenNames = control && (await readTakenNames(services));
  return takenNames && { kinds: (await control.readStatus()).kinds, takenNames };
}

type AfterFailure = 'change' | 'cancel';

/**
 * Tests a draft with one request. After a failure, the user chooses whether to add the upstream anyway.
 *
 * @returns the draft to save, with the address that replied
 */
async function tryDraft(
  services: GatewayServices,
  draft: UpstreamDraft,
): Promise<UpstreamDraft | AfterFailure> {
  const control = await openGatewayControl(services);
  if (!control) return 'cancel';
  // The gateway runs a command only if the configuration contains it, so the draft cannot be tested.
  if (draft.command !== '') return draft;
  const { name, key, baseUrl, otherUrls } = draft;
  const title = vscode.l10n.t('Loading the models of {0}…', new URL(baseUrl).host);
  let progressSignal: AbortSignal | undefined;
  try {
    const replied = await withNotificationProgress(title, (signal) => {
      progressSignal = signal;
      const reply = control.tryUpstream(createUpstreamEntry(draft), key === '' ? undefined : key, otherUrls);
      return untilAborted(reply, signal);
    });
    return { ...draft, baseUrl: replied.baseUrl };
  } catch (error) {
    if (progressSignal?.aborted) return 'cancel';
    if (!(error instanceof GatewayControlError)) throw error;
    return (await promptAfterFailure(name, error.message)) ?? draft;
  }
}

/** @returns undefined if the user adds the upstream anyway */
async function promptAfterFailure(name: string, problem: string): Promise<AfterFailure | undefined> {
  const change = vscode.l10n.t('Change…');
  const addAnyway = vscode.l10n.t('Add Anyway');
  const words = vscode.l10n.t('{0} does not list its models. {1}', name, problem);
  const chosen = await notify('error', words, change, addAnyway);
  if (chosen === change) return 'change';
  return chosen === addAnyway ? undefined : 'cancel';
}

async function saveUpstream(services: GatewayServices, draft: UpstreamDraft): Promise<void> {
  const entry = createUpstreamEntry(draft);
  const before = localModelIds(services);
  if (draft.key !== '') {
    await storeUpstreamKey(services, entry, draft.key);
    await services.localGateway.control?.sendKeys({ [entry.name]: draft.key });
  }
  // The user has just entered the upstream, so no further consent is needed.
  await services.localGateway.control?.reportEntered(entry);
  if (!(await changeConfig(services, (text) => withUpstream(text, entry)))) return;
  await notifyAddedUpstreams(services, [entry.name], before);
}

/** Stores the key of an upstream in the secret storage. Warns if it could be stored for this window only. */
export async function storeUpstreamKey(
  { upstreamKeys }: GatewayServices,
  { name, baseUrl }: UpstreamEntry,
  key: string,
): Promise<void> {
  if (await upstreamKeys.store({ name, baseUrl }, key)) return;
  void notify(
    'warning',
    vscode.l10n.t('VS Code could not store the key. It is used until this window closes.'),
  );
}

/** The ids of the local gateway's models in this window's last list. */
export function localModelIds({ connection }: GatewayServices): ReadonlySet<string> {
  return new Set(connection.get(localEntry).state.models.map(({ id }) => id));
}

/**
 * Notifies the user of new upstreams. A window without a gateway opens a conversation at once; other windows offer it.
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
  const model = findChatModel(services, names, before, models);
  if (gateways.current === undefined && model) {
    showStatusMessage(words, 'check');
    return runCommand('useLocalGateway', model);
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
function findChatModel(
  { modelChoices }: GatewayServices,
  names: readonly string[],
  before: ReadonlySet<string>,
  models: readonly Model[],
): Model | undefined {
  const newModels = models.filter(({ id }) => !before.has(id) && !isDemoModel(localEntry, id));
  const forChats = modelChoices.filterByUse('chat', localEntry, newModels);
  // Models of other upstreams also have new ids if they now need a prefix.
  return forChats.find(({ id }) => names.some((name) => id.startsWith(`${name}/`))) ?? forChats[0];
}
