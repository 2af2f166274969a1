import * as vscode from 'vscode';
import { modelCount } from '../../kit/counts.ts';
import { listed } from '../../kit/display/listed.ts';
import { notify } from '../../kit/display/notify.ts';
import { withNotificationProgress } from '../../kit/display/progress.ts';
import { pickMany, questionClosed } from '../../kit/display/prompts.ts';
import { runCommand } from '../../kit/manifest/contributions.ts';
import type { GatewayServices } from '../gatewayServices.ts';
import { changeConfig, takenNames, writtenUpstreams } from './changeConfig.ts';
import { type UpstreamEntry, withUpstream } from './configEdit.ts';
import { detectModelServers, isAmong, knownPlaces, type ModelServer } from './modelServers.ts';
import { runningGateway } from './runningGateway.ts';
import { knownModels, tellAdded } from './tellAdded.ts';
import { freeName } from './upstreamOffers.ts';

/** Looks for model servers on this machine and adds those that the user chooses. */
export async function detectServers(services: GatewayServices): Promise<void> {
  const found = await withNotificationProgress(
    vscode.l10n.t('Looking for model servers…'),
    async (signal) => {
      const servers = await detectModelServers(signal);
      return signal.aborted ? undefined : servers;
    },
  );
  if (!found) return;
  const chosen = found.length === 0 ? await tellNoServers() : await chooseServers(services, found);
  if (chosen.length === 0 || !(await runningGateway(services))) return;
  const before = knownModels(services);
  const taken = [...((await takenNames(services)) ?? [])];
  const entries = chosen.map(({ name, baseUrl }): UpstreamEntry => {
    const free = freeName(name, taken);
    taken.push(free);
    return { name: free, kind: 'openai-compatible', baseUrl };
  });
  if (!(await changeConfig(services, (text) => entries.reduce(withUpstream, text)))) return;
  await tellAdded(
    services,
    entries.map(({ name }) => name),
    before,
  );
}

async function tellNoServers(): Promise<readonly ModelServer[]> {
  const add = vscode.l10n.t('Add Upstream…');
  const words = vscode.l10n.t('No model server answers on this machine: {0}.', listed(knownPlaces));
  const chosen = await notify('info', words, add);
  if (chosen === add) await runCommand('localGateway.addUpstream');
  return [];
}

async function chooseServers(
  services: GatewayServices,
  found: readonly ModelServer[],
): Promise<readonly ModelServer[]> {
  const written = await writtenUpstreams(services);
  if (!written) return [];
  const addresses = written.map(({ baseUrl }) => baseUrl);
  const choices = found.map((server) => {
    const { host } = new URL(server.baseUrl);
    const isThere = isAmong(server, addresses);
    return {
      ...{ label: server.title, description: host, server, isPicked: !isThere },
      detail: isThere ? vscode.l10n.t('an upstream already') : modelCount(server.models),
    };
  });
  await questionClosed();
  const chosen = await pickMany(choices, {
    title: vscode.l10n.t('Detect Local Model Servers'),
    placeHolder: vscode.l10n.t('Choose the servers to add as upstreams'),
  });
  return (chosen ?? []).map(({ server }) => server);
}
