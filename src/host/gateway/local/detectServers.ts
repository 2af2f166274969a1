import * as vscode from 'vscode';
import { formatModelCount } from '../../kit/countWords.ts';
import { joinNames } from '../../kit/display/joinNames.ts';
import { notify } from '../../kit/display/notify.ts';
import { withNotificationProgress } from '../../kit/display/progress.ts';
import { pickMany, waitForOpenQuestion } from '../../kit/display/quickInput.ts';
import { runCommand } from '../../kit/manifest/contributions.ts';
import type { GatewayServices } from '../gatewayServices.ts';
import { localModelIds, notifyAddedUpstreams } from './addUpstream.ts';
import { changeConfig, readTakenNames, readUpstreams } from './changeConfig.ts';
import { type UpstreamEntry, withUpstream } from './configEdit.ts';
import { checkedServers, detectModelServers, isAmong, type ModelServer } from './modelServers.ts';
import { openGatewayControl } from './startStop.ts';
import { unusedName } from './upstreamPresets.ts';

/** Searches for model servers on this machine and adds the user's choice of them. */
export async function detectServers(services: GatewayServices): Promise<void> {
  const foundServers = await withNotificationProgress(
    vscode.l10n.t('Looking for model servers…'),
    async (signal) => {
      const servers = await detectModelServers(signal);
      return signal.aborted ? undefined : servers;
    },
  );
  if (!foundServers) return;
  const chosen =
    foundServers.length === 0 ? await notifyNoServers() : await chooseServers(services, foundServers);
  if (chosen.length === 0 || !(await openGatewayControl(services))) return;
  const before = localModelIds(services);
  const configuredNames = await readTakenNames(services);
  if (!configuredNames) return;
  const takenNames = [...configuredNames];
  const entries = chosen.map(({ name, baseUrl }): UpstreamEntry => {
    const freeName = unusedName(name, takenNames);
    takenNames.push(freeName);
    return { name: freeName, kind: 'openai-compatible', baseUrl };
  });
  if (!(await changeConfig(services, (text) => entries.reduce(withUpstream, text)))) return;
  await notifyAddedUpstreams(
    services,
    entries.map(({ name }) => name),
    before,
  );
}

async function notifyNoServers(): Promise<readonly ModelServer[]> {
  const add = vscode.l10n.t('Add Upstream…');
  const words = vscode.l10n.t(
    'No model server responds on this machine. Checked: {0}.',
    joinNames(checkedServers),
  );
  const chosen = await notify('info', words, add);
  if (chosen === add) await runCommand('localGateway.addUpstream');
  return [];
}

async function chooseServers(
  services: GatewayServices,
  found: readonly ModelServer[],
): Promise<readonly ModelServer[]> {
  const configuredUpstreams = await readUpstreams(services);
  if (!configuredUpstreams) return [];
  const addresses = configuredUpstreams.map(({ baseUrl }) => baseUrl);
  const choices = found.map((server) => {
    const { host } = new URL(server.baseUrl);
    const isConfigured = isAmong(server, addresses);
    return {
      label: server.title,
      description: host,
      server,
      isPicked: !isConfigured,
      detail: isConfigured ? vscode.l10n.t('already an upstream') : formatModelCount(server.models),
    };
  });
  await waitForOpenQuestion();
  const chosen = await pickMany(choices, {
    title: vscode.l10n.t('Detect Local Model Servers'),
    placeHolder: vscode.l10n.t('Choose the servers to add as upstreams'),
  });
  return (chosen ?? []).map(({ server }) => server);
}
