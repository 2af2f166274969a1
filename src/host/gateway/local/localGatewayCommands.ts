import * as vscode from 'vscode';
import type { UpstreamAccess } from '../../../protocol/gatewayControl.ts';
import { openConfig } from '../../connection/configFile.ts';
import { GatewayControlError } from '../../connection/gatewayControl.ts';
import { localEntry } from '../../connection/gateways.ts';
import { formatModelCount } from '../../kit/countWords.ts';
import { joinNames } from '../../kit/display/joinNames.ts';
import { confirm, notify } from '../../kit/display/notify.ts';
import { plainLine } from '../../kit/display/plainText.ts';
import { pick } from '../../kit/display/quickInput.ts';
import { pickBeforeSteps, requestStepText, runSteps, type Step } from '../../kit/display/quickInputSteps.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import type { CommandTable } from '../../kit/manifest/command.ts';
import { showView } from '../../kit/manifest/contributions.ts';
import type { GatewayNode } from '../../models/localGatewayRows.ts';
import { findTargetRequest } from '../commandTarget.ts';
import type { GatewayServices } from '../gatewayServices.ts';
import { cleanCredential } from '../typedCredential.ts';
import { addUpstream, storeUpstreamKey } from './addUpstream.ts';
import { changeConfig, configPath, readFromConfig, readUpstreams } from './changeConfig.ts';
import { type ClientProgram, clientPrograms, hiddenCredential, type ShellName } from './clientSettings.ts';
import { type AliasLoss, aliasesUsing, type UpstreamEntry, withoutUpstream } from './configEdit.ts';
import { detectServers } from './detectServers.ts';
import { keyProblem, keyPrompt } from './promptForUpstream.ts';
import { openGatewayControl, restartLocalGateway, startLocalGateway, stopLocalGateway } from './startStop.ts';

/** Removes an upstream from the configuration and from the aliases that use it. Also deletes its key. */
async function removeUpstream(services: GatewayServices, row?: unknown): Promise<void> {
  const upstream = await resolveUpstream(services, row, vscode.l10n.t('Remove Upstream'));
  if (!upstream) return;
  const { name, baseUrl } = upstream;
  const losses = await readFromConfig(services, (text) => aliasesUsing(text, name));
  if (!losses) return;
  const remove = vscode.l10n.t('Remove');
  const chosen = await confirm(
    vscode.l10n.t('Remove the upstream {0}?', name),
    [
      vscode.l10n.t(
        'Its models will no longer be listed, and its key will be deleted. Your account at the provider is not affected.',
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

function lossWords({ name, models, isRemoved }: AliasLoss): string {
  return isRemoved
    ? vscode.l10n.t('The alias {0} is also removed, because it has no other models.', name)
    : vscode.l10n.t('The alias {0} no longer includes {1}.', name, joinNames(models));
}

/** Prompts for the key of an upstream, and sends it to the gateway. */
async function setKey(services: GatewayServices, row?: unknown): Promise<void> {
  const upstream = await resolveUpstream(services, row, vscode.l10n.t('Set Key'), pickBeforeSteps);
  if (!upstream) return;
  const { name, baseUrl } = upstream;
  const keyStep: Step<string | undefined> = (_, position) =>
    requestStepText(position, {
      prompt: keyPrompt(baseUrl),
      placeHolder: vscode.l10n.t('Leave empty to delete the key'),
      password: true,
      problem: (text) => keyProblem(text, true),
    });
  const title = vscode.l10n.t('Set the Key of {0}', name);
  const input = await runSteps<string | undefined>({
    title,
    initialDraft: undefined,
    steps: () => [keyStep],
  });
  if (input === undefined) return;
  const { upstreamKeys, localUpstreams } = services;
  const reading = cleanCredential(input);
  const key = reading.ok ? reading.credential : '';
  if (key === '') await upstreamKeys.forget({ name, baseUrl });
  else await storeUpstreamKey(services, upstream, key);
  await localUpstreams.refresh();
  if (key !== '') await tryKey(services, upstream, key);
}

/** Requests the upstream's models with a new key, and shows the result. */
async function tryKey(services: GatewayServices, upstream: UpstreamEntry, key: string): Promise<void> {
  const { control } = services.localGateway;
  if (!control || 'keyCommand' in upstream) return;
  const { name } = upstream;
  const status = services.localUpstreams.state.status?.upstreams.find((each) => each.name === name);
  // The headers of the upstream may send the key to an address that the user has not allowed yet.
  if (status?.waitsFor) return;
  try {
    const { models } = await control.tryUpstream(upstream, key);
    showStatusMessage(
      vscode.l10n.t('{0} is reachable: {1}.', name, formatModelCount(models.length)),
      'check',
    );
  } catch (error) {
    if (!(error instanceof GatewayControlError)) throw error;
    const setKeyButton = vscode.l10n.t('Set Key…');
    const words = vscode.l10n.t('{0} does not list its models. {1}', name, error.message);
    if ((await notify('error', words, setKeyButton)) === setKeyButton) await setKey(services, { name });
  }
}

/** Shows all addresses that would receive an upstream's requests and key, and lets the user allow this. */
async function allowUpstream(services: GatewayServices, row?: unknown): Promise<void> {
  const { localUpstreams, localGateway, localGatewayView } = services;
  const name = (row as Partial<GatewayNode> | undefined)?.name ?? localGatewayView.selected;
  const waiting = localUpstreams.state.status?.upstreams.filter(({ waitsFor }) => waitsFor) ?? [];
  const upstream = waiting.find((each) => each.name === name) ?? waiting[0];
  if (!upstream?.waitsFor)
    return showStatusMessage(vscode.l10n.t('No upstream is waiting for your consent.'));
  const allow = vscode.l10n.t('Allow');
  const question = vscode.l10n.t('Allow the upstream {0}?', upstream.name);
  if ((await confirm(question, accessWords(upstream.waitsFor), allow)) !== allow) return;
  await localGateway.control?.reportConsent(upstream.waitsFor);
  await localUpstreams.refresh();
}

/** Describes the access in full, because the user's decision depends on this text. */
function accessWords({ addresses, headers, keys, ...single }: UpstreamAccess): string {
  const { t } = vscode.l10n;
  const where = t('The configuration sends requests to {0}.', plainLine(addresses.join(', '), 5_000));
  const headerLines = Object.entries(headers ?? {}).map((each) => plainLine(each.join(': '), 2_000));
  const headerText =
    headerLines.length > 0
      ? [t('It adds these headers, which may change where the requests are sent:'), ...headerLines]
      : [];
  return [
    where,
    ...headerText,
    ...(keys ?? [single]).flatMap(keyLines),
    '',
    t('Allow this only if you changed the configuration yourself.'),
  ].join('\n');
}

function keyLines({
  keyEnv,
  keyCommand,
  keyFile,
}: Pick<UpstreamAccess, 'keyEnv' | 'keyCommand' | 'keyFile'>): readonly string[] {
  const { t } = vscode.l10n;
  if (keyEnv !== undefined) return [t('Its key is in the environment variable {0}.', keyEnv)];
  if (keyFile !== undefined) return [t('Its key is in the file {0}.', plainLine(keyFile, 5_000))];
  if (keyCommand === undefined) return [];
  return [t('The system’s shell runs this command, which prints its key:'), plainLine(keyCommand, 5_000)];
}

/** Replaces the credential of the local gateway for all its programs. */
async function replaceCredential(services: GatewayServices): Promise<void> {
  const replace = vscode.l10n.t('Replace');
  const chosen = await confirm(
    vscode.l10n.t('Replace the credential of the local gateway?'),
    vscode.l10n.t(
      'Programs that use the current credential are refused until you give them the new one. VS Code uses the new one automatically.',
    ),
    replace,
  );
  if (chosen !== replace) return;
  const control = await openGatewayControl(services);
  if (!control) return;
  await control.replaceCredential();
  const copy = vscode.l10n.t('Copy Settings For…');
  const next = await notify('info', vscode.l10n.t('The local gateway has a new credential.'), copy);
  if (next === copy) await copyClientSettings(services);
}

/**
 * Finds the upstream of a row or of a failed request, or else of the selected row, or else lets the user pick one.
 *
 * @param choose shows the list; `pickBeforeSteps` if a prompt for a secret follows
 */
async function resolveUpstream(
  services: GatewayServices,
  row: unknown,
  title: string,
  choose: typeof pickBeforeSteps = pick,
): Promise<UpstreamEntry | undefined> {
  const upstreamName =
    (row as Partial<GatewayNode> | undefined)?.name ??
    findTargetRequest(services, row)?.notes?.upstream ??
    services.localGatewayView.selected;
  const configuredUpstreams = await readUpstreams(services);
  if (!configuredUpstreams) return undefined;
  const match = configuredUpstreams.find(({ name }) => name === upstreamName);
  if (match) return match;
  const choices = configuredUpstreams.map((upstream) => ({
    label: upstream.name,
    description: upstream.baseUrl,
    upstream,
  }));
  if (choices.length > 0) return (await choose(choices, { title }))?.upstream;
  showStatusMessage(vscode.l10n.t('The configuration has no upstreams.'));
  return undefined;
}

/** The commands of the local gateway, by their ids. */
export const localGatewayCommands = {
  'localGateway.show': () => showView('localGateway'),
  'localGateway.start': startLocalGateway,
  'localGateway.stop': stopLocalGateway,
  'localGateway.restart': restartLocalGateway,
  'localGateway.refresh': ({ localUpstreams }) => localUpstreams.refresh(),
  'localGateway.addUpstream': addUpstream,
  'localGateway.removeUpstream': removeUpstream,
  'localGateway.setKey': setKey,
  'localGateway.allowUpstream': allowUpstream,
  'localGateway.editConfiguration': (services) => openConfig(configPath(services)),
  'localGateway.detectServers': detectServers,
  'localGateway.showLog': ({ gatewayLog }) => gatewayLog.show(),
  'localGateway.copySettings': copyClientSettings,
  'localGateway.newCredential': replaceCredential,
} satisfies CommandTable<GatewayServices>;

/**
 * Copies the settings that another program needs to use the local gateway. The credential is included only if the
 * user chooses so.
 */
async function copyClientSettings(services: GatewayServices): Promise<void> {
  const choice = await pick(
    clientPrograms.map((each) => ({ label: each.name, detail: detailWords(each), program: each })),
    { title: vscode.l10n.t('Copy Settings For'), placeHolder: vscode.l10n.t('Which program or library?') },
  );
  if (!choice || !(await openGatewayControl(services))) return;
  const { address } = services.localGateway;
  const model = await chooseModel(services, choice.label);
  if (!address || model === undefined) return;
  const { baseUrl, credential } = address;
  const { settings, name } = choice.program;
  const shell: ShellName = process.platform === 'win32' ? 'powershell' : 'sh';
  await vscode.env.clipboard.writeText(settings({ baseUrl, model, shell }));
  const withCredential = vscode.l10n.t('Copy with Credential');
  const chosen = await notify(
    'info',
    vscode.l10n.t(
      'Settings for {0} were copied with {1} in place of the credential. Paste them into {2}.',
      name,
      hiddenCredential,
      targetWords(choice.program),
    ),
    withCredential,
  );
  if (chosen !== withCredential) return;
  await vscode.env.clipboard.writeText(settings({ baseUrl, model, credential, shell }));
  showStatusMessage(vscode.l10n.t('Settings for {0} were copied with the credential', name), 'key');
}

/** Lets the user choose a model of the local gateway. Returns the only model without a dialog. */
async function chooseModel({ connection }: GatewayServices, program: string): Promise<string | undefined> {
  const local = connection.get(localEntry);
  const { models } = local.state.models.length > 0 ? local.state : await local.refresh();
  const [first, second] = models;
  if (!second) return first?.id ?? 'demo/chat';
  const chosen = await pick(
    models.map(({ id }) => ({ label: id })),
    { title: vscode.l10n.t('Copy Settings For {0}', program), placeHolder: vscode.l10n.t('Which model?') },
  );
  return chosen?.label;
}

function detailWords(program: ClientProgram): string {
  return program.pasteTarget === 'terminal' ? vscode.l10n.t('terminal commands') : targetWords(program);
}

function targetWords({ pasteTarget, file }: ClientProgram): string {
  if (file !== undefined) return file;
  switch (pasteTarget) {
    case 'python':
      return vscode.l10n.t('a Python program');
    case 'javascript':
      return vscode.l10n.t('a JavaScript module (.mjs)');
    default:
      return vscode.l10n.t('a terminal');
  }
}
