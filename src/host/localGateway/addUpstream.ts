import * as vscode from 'vscode';
import { GatewayControlError } from '../connection/gatewayControl.ts';
import { localEntry } from '../connection/gateways.ts';
import { runCommand } from '../contributions.ts';
import { modelCount } from '../counts.ts';
import { notify } from '../display/notify.ts';
import { withNotificationProgress } from '../display/progress.ts';
import { pickMany } from '../display/prompts.ts';
import type { Services } from '../services.ts';
import { askUpstream } from './askUpstream.ts';
import { changeConfig, takenNames } from './changeConfig.ts';
import { type UpstreamEntry, withUpstream } from './configEdit.ts';
import { detectModelServers, knownPorts, type ModelServer } from './modelServers.ts';
import { runningGateway } from './runningGateway.ts';
import { entryOf, type UpstreamDraft } from './upstreamDraft.ts';
import { freeName } from './upstreamOffers.ts';

/** Asks what the upstream is, tries it by one request, and writes it into the configuration. */
export async function addUpstream(services: Services): Promise<void> {
  const control = await runningGateway(services);
  const taken = control && (await takenNames(services));
  if (!taken) return;
  const { kinds } = await control.state();
  let draft = await askUpstream(kinds, taken);
  while (draft !== undefined) {
    const result = await tryDraft(services, draft);
    if (result === 'given-up') return;
    if (result !== 'change') return keep(services, draft, result);
    draft = await askUpstream(kinds, taken, draft);
  }
}

/** The number of its models; `untried` where the user adds it without knowing. */
type TryResult = number | 'untried' | 'change' | 'given-up';

async function tryDraft(services: Services, draft: UpstreamDraft): Promise<TryResult> {
  const control = await runningGateway(services);
  if (!control) return 'given-up';
  if (draft.offer.key === 'by-command') return 'untried';
  const { name, key } = draft;
  try {
    const models = await withNotificationProgress(
      vscode.l10n.t('Asking {0} for its models…', new URL(draft.baseUrl).host),
      () => control.tryUpstream(entryOf(draft), key === '' ? undefined : key),
    );
    return models.length;
  } catch (error) {
    if (!(error instanceof GatewayControlError)) throw error;
    return askAfterFailure(name, error.message);
  }
}

async function askAfterFailure(name: string, problem: string): Promise<TryResult> {
  const change = vscode.l10n.t('Change…');
  const addAnyway = vscode.l10n.t('Add Anyway');
  const words = vscode.l10n.t('{0} does not tell its models. {1}', name, problem);
  const chosen = await notify('error', words, change, addAnyway);
  if (chosen === change) return 'change';
  return chosen === addAnyway ? 'untried' : 'given-up';
}

async function keep(services: Services, draft: UpstreamDraft, found: number | 'untried'): Promise<void> {
  const entry = entryOf(draft);
  if (draft.key !== '') {
    await services.upstreamKeys.store({ name: entry.name, baseUrl: entry.baseUrl }, draft.key);
    await services.localGateway.control?.giveKeys({ [entry.name]: draft.key });
  }
  if (!(await changeConfig(services, (text) => withUpstream(text, entry)))) return;
  await tellAdded(services, [entry.name], found);
}

/** Looks for model servers on this machine and adds those that the user chooses. */
export async function detectServers(services: Services): Promise<void> {
  const found = await withNotificationProgress(vscode.l10n.t('Looking for model servers…'), (signal) =>
    detectModelServers(signal),
  );
  const chosen = found.length === 0 ? await tellNoServers() : await chooseServers(services, found);
  if (chosen.length === 0 || !(await runningGateway(services))) return;
  const taken = [...((await takenNames(services)) ?? [])];
  const entries = chosen.map(({ name, baseUrl }): UpstreamEntry => {
    const free = freeName(name, taken);
    taken.push(free);
    return { name: free, kind: 'openai-compatible', baseUrl };
  });
  if (!(await changeConfig(services, (text) => entries.reduce(withUpstream, text)))) return;
  const models = chosen.reduce((sum, server) => sum + server.models, 0);
  await tellAdded(
    services,
    entries.map(({ name }) => name),
    models,
  );
}

async function tellNoServers(): Promise<readonly ModelServer[]> {
  const add = vscode.l10n.t('Add Upstream…');
  const words = vscode.l10n.t(
    'No model server answers on this machine, at the ports {0}.',
    knownPorts.join(', '),
  );
  const chosen = await notify('info', words, add);
  if (chosen === add) await runCommand('localGateway.addUpstream');
  return [];
}

async function chooseServers(
  services: Services,
  found: readonly ModelServer[],
): Promise<readonly ModelServer[]> {
  const origins = (services.localUpstreams.state.status?.upstreams ?? []).map(({ origin }) => origin);
  const choices = found.map((server) => {
    const { origin, host } = new URL(server.baseUrl);
    const isThere = origins.includes(origin);
    return {
      ...{ label: server.title, description: host, server, isPicked: !isThere },
      detail: isThere ? vscode.l10n.t('an upstream already') : modelCount(server.models),
    };
  });
  const chosen = await pickMany(choices, {
    title: vscode.l10n.t('Detect Local Model Servers'),
    placeHolder: vscode.l10n.t('Which ones become upstreams?'),
  });
  return (chosen ?? []).map(({ server }) => server);
}

/** Says what was added, and offers to chat with it. */
async function tellAdded(
  services: Services,
  names: readonly string[],
  found: number | 'untried',
): Promise<void> {
  const { gateways, connection, localUpstreams } = services;
  await localUpstreams.refresh();
  const isUsed = gateways.current?.kind === 'local';
  if (isUsed) await connection.of(localEntry).refresh();
  const list = names.join(', ');
  const words =
    found === 'untried'
      ? vscode.l10n.t('{0} was added.', list)
      : vscode.l10n.t('{0} was added: {1}.', list, modelCount(found));
  const use = vscode.l10n.t('Use the Local Gateway');
  const copy = vscode.l10n.t('Copy Settings For…');
  const chosen = await notify('info', words, ...(isUsed ? [copy] : [use, copy]));
  if (chosen === use) await runCommand('useLocalGateway');
  else if (chosen === copy) await runCommand('localGateway.copySettings');
}
