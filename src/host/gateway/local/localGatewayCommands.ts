import * as vscode from 'vscode';
import { errorMessage } from '../../../base/errors.ts';
import type { GatewayStatus, UpstreamAccess } from '../../../protocol/gatewayControl.ts';
import { openConfig } from '../../connection/configFile.ts';
import { readCredential } from '../../connection/credentialText.ts';
import { GatewayControlError } from '../../connection/gatewayControl.ts';
import { localEntry } from '../../connection/gateways.ts';
import { modelCount, requestsUnderWay } from '../../kit/counts.ts';
import { listed } from '../../kit/display/listed.ts';
import { confirm, notify } from '../../kit/display/notify.ts';
import { plainLine } from '../../kit/display/plainText.ts';
import { withStatusBarProgress } from '../../kit/display/progress.ts';
import { pick } from '../../kit/display/prompts.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import { askInSteps, askStepText, pickBeforeSteps, type Step } from '../../kit/display/steps.ts';
import type { CommandTable } from '../../kit/manifest/command.ts';
import { showView } from '../../kit/manifest/contributions.ts';
import type { GatewayNode } from '../../models/upstreamRows.ts';
import type { GatewayServices } from '../gatewayServices.ts';
import { meantRequest } from '../meantGateway.ts';
import { addUpstream } from './addUpstream.ts';
import { type AliasLoss, aliasesAsking } from './aliasEdit.ts';
import { keyProblem, keyPrompt } from './askUpstream.ts';
import { changeConfig, configPath, readWritten, writtenUpstreams } from './changeConfig.ts';
import { type UpstreamEntry, withoutUpstream } from './configEdit.ts';
import { copySettings } from './copySettings.ts';
import { detectServers } from './detectServers.ts';
import { runningGateway, tellWithLog } from './runningGateway.ts';
import { startLocalGateway, stopLocalGateway } from './startStop.ts';
import { storeKey } from './storeKey.ts';

/** Takes an upstream out of the configuration, with its key and out of the aliases that ask it. */
async function removeUpstream(services: GatewayServices, row?: unknown): Promise<void> {
  const upstream = await chosenUpstream(services, row, vscode.l10n.t('Remove Upstream'));
  if (!upstream) return;
  const { name, baseUrl } = upstream;
  const losses = await readWritten(services, (text) => aliasesAsking(text, name));
  if (!losses) return;
  const remove = vscode.l10n.t('Remove');
  const chosen = await confirm(
    vscode.l10n.t('Remove the upstream {0}?', name),
    [
      vscode.l10n.t(
        'Its models are no longer listed, and its key is deleted. Your account at the provider is not changed.',
      ),
      ...losses.map(lossWords),
    ].join('\n'),
    remove,
  );
  if (chosen !== remove) return;
  if (!(await changeConfig(services, (text) => withoutUpstream(text, name)))) return;
  await services.upstreamKeys.forget({ name, baseUrl });
  await services.localUpstreams.refresh();
}

function lossWords({ name, models, isGone }: AliasLoss): string {
  return isGone
    ? vscode.l10n.t('The alias {0} is removed as well: it names no other model.', name)
    : vscode.l10n.t('The alias {0} no longer includes {1}.', name, listed(models));
}

/** Asks for the key of an upstream, and hands it to the gateway. */
async function setKey(services: GatewayServices, row?: unknown): Promise<void> {
  const upstream = await chosenUpstream(services, row, vscode.l10n.t('Set Key'), pickBeforeSteps);
  if (!upstream) return;
  const { name, baseUrl } = upstream;
  const keyStep: Step<string | undefined> = (_, place) =>
    askStepText(place, {
      prompt: keyPrompt(baseUrl),
      placeHolder: vscode.l10n.t('Leave empty to forget the key'),
      password: true,
      problem: (text) => keyProblem(text, true),
    });
  const title = vscode.l10n.t('Set the Key of {0}', name);
  const typed = await askInSteps<string | undefined>({ title, first: undefined, steps: () => [keyStep] });
  if (typed === undefined) return;
  const { upstreamKeys, localUpstreams } = services;
  const reading = readCredential(typed);
  const key = reading.ok ? reading.credential : '';
  if (key === '') await upstreamKeys.forget({ name, baseUrl });
  else await storeKey(services, upstream, key);
  await localUpstreams.refresh();
  if (key !== '') await tryKey(services, upstream, key);
}

/** Asks the upstream for its models with a new key, and tells what it thinks of it. */
async function tryKey(services: GatewayServices, upstream: UpstreamEntry, key: string): Promise<void> {
  const { control } = services.localGateway;
  if (!control || 'keyCommand' in upstream) return;
  const { name } = upstream;
  const known = services.localUpstreams.state.status?.upstreams.find((each) => each.name === name);
  // Its headers may lead the key elsewhere, which the user has not allowed yet.
  if (known?.waitsFor) return;
  try {
    const { models } = await control.tryUpstream(upstream, key);
    showStatusMessage(vscode.l10n.t('{0} answers: {1}.', name, modelCount(models.length)), 'check');
  } catch (error) {
    if (!(error instanceof GatewayControlError)) throw error;
    const again = vscode.l10n.t('Set Key…');
    const words = vscode.l10n.t('{0} does not list its models. {1}', name, error.message);
    if ((await notify('error', words, again)) === again) await setKey(services, { name });
  }
}

/** Shows in full where requests of an upstream and its key would go, and lets it be asked. */
async function allowUpstream(services: GatewayServices, row?: unknown): Promise<void> {
  const { localUpstreams, localGateway, localGatewayView } = services;
  const name = (row as Partial<GatewayNode> | undefined)?.name ?? localGatewayView.selected;
  const waiting = localUpstreams.state.status?.upstreams.filter(({ waitsFor }) => waitsFor) ?? [];
  const upstream = waiting.find((each) => each.name === name) ?? waiting[0];
  if (!upstream?.waitsFor) return showStatusMessage(vscode.l10n.t('No upstream waits for your consent.'));
  const allow = vscode.l10n.t('Allow');
  const question = vscode.l10n.t('Allow the upstream {0}?', upstream.name);
  if ((await confirm(question, accessWords(upstream.waitsFor), allow)) !== allow) return;
  await localGateway.control?.consent(upstream.waitsFor);
  await localUpstreams.refresh();
}

/** All of it, because the user decides by these words. */
function accessWords({ addresses, headers, keyEnv, keyCommand, keyFile }: UpstreamAccess): string {
  const { t } = vscode.l10n;
  const key = [
    ...(keyEnv === undefined ? [] : [t('Its key is in the environment variable {0}.', keyEnv)]),
    ...(keyFile === undefined ? [] : [t('Its key is in the file {0}.', plainLine(keyFile, 5_000))]),
    ...(keyCommand === undefined
      ? []
      : [t('Your shell runs this command, which prints its key:'), plainLine(keyCommand, 5_000)]),
  ];
  const where = t('The configuration sends requests to {0}.', plainLine(addresses.join(', '), 5_000));
  const more = Object.entries(headers ?? {}).map((each) => plainLine(each.join(': '), 2_000));
  const sent = more.length > 0 ? [t('It adds these headers, which may lead them elsewhere:'), ...more] : [];
  return [where, ...sent, ...key, '', t('Allow this only if you changed the configuration yourself.')].join(
    '\n',
  );
}

async function editConfiguration(services: GatewayServices): Promise<void> {
  await openConfig(configPath(services));
}

function showLog({ gatewayLog }: GatewayServices): void {
  gatewayLog.show();
}

async function refresh({ localUpstreams }: GatewayServices): Promise<void> {
  await localUpstreams.refresh();
}

/** Replaces the credential of the local gateway, for whoever has it. */
async function newCredential(services: GatewayServices): Promise<void> {
  const replace = vscode.l10n.t('Replace');
  const chosen = await confirm(
    vscode.l10n.t('Replace the credential of the local gateway?'),
    vscode.l10n.t(
      'Programs that use the current credential are refused until they have the new one. VS Code updates itself.',
    ),
    replace,
  );
  if (chosen !== replace) return;
  const control = await runningGateway(services);
  if (!control) return;
  await control.newCredential();
  const copy = vscode.l10n.t('Copy Settings For…');
  const next = await notify('info', vscode.l10n.t('The local gateway has a new credential.'), copy);
  if (next === copy) await copySettings(services);
}

/**
 * The upstream of a row, of a failed request, of the selected row, or one that the user picks.
 *
 * @param choose shows the list; `pickBeforeSteps` where a question for a secret follows
 */
async function chosenUpstream(
  services: GatewayServices,
  row: unknown,
  title: string,
  choose: typeof pickBeforeSteps = pick,
): Promise<UpstreamEntry | undefined> {
  const named =
    (row as Partial<GatewayNode> | undefined)?.name ??
    meantRequest(services, row)?.notes?.upstream ??
    services.localGatewayView.selected;
  const written = await writtenUpstreams(services);
  if (!written) return undefined;
  const found = written.find(({ name }) => name === named);
  if (found) return found;
  const choices = written.map((upstream) => ({
    ...{ label: upstream.name, description: upstream.baseUrl, upstream },
  }));
  if (choices.length > 0) return (await choose(choices, { title }))?.upstream;
  showStatusMessage(vscode.l10n.t('The configuration names no upstream.'));
  return undefined;
}

/** The commands of the local gateway, by their ids. */
export const localGatewayCommands = {
  'localGateway.show': () => showView('localGateway'),
  'localGateway.start': startLocalGateway,
  'localGateway.stop': stopLocalGateway,
  'localGateway.restart': restartLocalGateway,
  'localGateway.refresh': refresh,
  'localGateway.addUpstream': addUpstream,
  'localGateway.removeUpstream': removeUpstream,
  'localGateway.setKey': setKey,
  'localGateway.allowUpstream': allowUpstream,
  'localGateway.editConfiguration': editConfiguration,
  'localGateway.detectServers': detectServers,
  'localGateway.showLog': showLog,
  'localGateway.copySettings': copySettings,
  'localGateway.newCredential': newCredential,
} satisfies CommandTable<GatewayServices>;

/** Starts the local gateway again, or for the first time. Asks first where that cuts replies off. */
async function restartLocalGateway(services: GatewayServices): Promise<void> {
  const { localGateway, connection } = services;
  const { control } = localGateway;
  if (!control) return startLocalGateway(services);
  if (!(await mayRestart(await control.state()))) return;
  try {
    await withStatusBarProgress(vscode.l10n.t('Restarting the local gateway…'), async () => {
      await localGateway.restart();
      await connection.of(localEntry).refresh();
    });
  } catch (error) {
    await tellWithLog(vscode.l10n.t('The local gateway did not start again. {0}', errorMessage(error)));
    return;
  }
  showStatusMessage(vscode.l10n.t('The local gateway was restarted'), 'check');
}

async function mayRestart({ openRequests }: GatewayStatus): Promise<boolean> {
  if (openRequests === 0) return true;
  const answer = vscode.l10n.t('Restart');
  const question = vscode.l10n.t('Restart the local gateway?');
  return (await confirm(question, requestsUnderWay(openRequests), answer)) === answer;
}
