import * as vscode from 'vscode';
import type { ConfiguredGateway } from '../../connection/configuredGateway.ts';
import { type FailureAction, failureMessage, failureText } from '../../connection/failureMessage.ts';
import { notifyFailure } from '../../connection/failures/failureActions.ts';
import { type Gateway, isLocalName, localEntry } from '../../connection/gateways.ts';
import { modelCount } from '../../kit/counts.ts';
import { notify } from '../../kit/display/notify.ts';
import { pick } from '../../kit/display/prompts.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import { closeStep, pickBeforeSteps } from '../../kit/display/steps.ts';
import type { CommandTable } from '../../kit/manifest/command.ts';
import { runCommand } from '../../kit/manifest/contributions.ts';
import { actionLabel } from '../../kit/noticeActions.ts';
import { demoChatModel } from '../../models/demoModels.ts';
import { checkConnection } from '../check/checkCommand.ts';
import { askGateway, type GatewayDraft, type GatewayQuestions } from '../connectPrompts.ts';
import type { GatewayServices } from '../gatewayServices.ts';
import { mayStart, startAndList } from '../local/startStop.ts';
import { meantGateway } from '../meantGateway.ts';
import { pickGateway } from '../pickGateway.ts';
import { type ConnectionTest, testConnection } from './connectionTest.ts';
import { removeGateway, switchGateway } from './gatewayCommands.ts';
import { getStarted, openHelp, openProxySettings, openSettings, openTimeouts } from './helpCommands.ts';
import { showLog, showMenu } from './menuCommands.ts';
import { renameGateway } from './renameGateway.ts';

/**
 * Asks for an address and a credential and tests them. Opens a chat once they work, or once the user keeps
 * them anyway.
 */
async function connect(services: GatewayServices): Promise<void> {
  const { gateways } = services;
  const title = vscode.l10n.t('Connect to a Gateway');
  const gatewayAt = (baseUrl: string) => gateways.at(baseUrl);
  if (await enterGateway(services, { title, asksAddress: true, gatewayAt }, {}, true))
    await runCommand('newChat', undefined, true);
}

/** Asks for a new credential of a gateway, by default of the current one. The window keeps its gateway. */
async function setCredential(services: GatewayServices, given?: unknown): Promise<void> {
  if (!hasGateway(services)) return void (await runCommand('connect'));
  const gateway = await gatewayOf(services, meantGateway(services, given));
  if (gateway?.kind === 'local') return void (await services.connection.of(gateway).refresh());
  if (gateway === undefined) return;
  if (!(await services.plainHttp.ask(gateway.baseUrl))) return changeAddress(services, gateway.name);
  const title = vscode.l10n.t('Set the Credential of {0}', gateway.name);
  const gatewayAt = (baseUrl: string) => ({ ...gateway, baseUrl });
  const draft = { addresses: [gateway.baseUrl] as const };
  await enterGateway(services, { title, asksAddress: false, gatewayAt }, draft, false);
}

/**
 * Asks where a gateway is now, by default the current one. It stays the same gateway: chats and what is
 * remembered stay with it. At another origin it needs its credential again.
 */
async function changeAddress(services: GatewayServices, given?: unknown): Promise<void> {
  if (!hasGateway(services)) return void (await runCommand('connect'));
  const gateway = await gatewayOf(services, meantGateway(services, given));
  if (gateway?.kind === 'local') return void (await runCommand('connect'));
  if (gateway === undefined) return;
  const title = vscode.l10n.t('Change the Address of {0}', gateway.name);
  const stays = (baseUrl: string) => new URL(baseUrl).origin === new URL(gateway.baseUrl).origin;
  const questions: GatewayQuestions = {
    ...{ title, asksAddress: true, gatewayAt: (baseUrl) => ({ ...gateway, baseUrl }) },
    known: async (baseUrl) => (stays(baseUrl) ? services.credentials.read(gateway) : undefined),
  };
  const moved = await enterGateway(services, questions, { address: gateway.baseUrl }, false);
  if (moved && !stays(moved.baseUrl)) await services.credentials.forget(gateway);
}

/** Asks what to change about a gateway, or whether it can be reached. */
async function manageGateway(services: GatewayServices, given?: unknown): Promise<void> {
  const { t } = vscode.l10n;
  const choices = [
    { icon: 'key', label: t('Set Credential…'), run: setCredential },
    { icon: 'link', label: t('Change Address…'), run: changeAddress },
    { icon: 'edit', label: t('Rename…'), run: renameGateway },
    { icon: 'pulse', label: t('Check Connection'), run: checkConnection },
    { icon: 'trash', label: t('Remove…'), run: removeGateway },
  ];
  const chosen = await pick(choices, { title: t('Manage Gateway') });
  await chosen?.run(services, given);
}

function hasGateway({ gateways: { all, current } }: GatewayServices): boolean {
  return current !== undefined || all.length > 0;
}

/** The gateway that is named, else the current one; asks where that is the local one, which has nothing to set. */
async function gatewayOf(
  { gateways }: GatewayServices,
  name: string | undefined,
): Promise<Gateway | undefined> {
  const { all, current } = gateways;
  if (name !== undefined && isLocalName(name)) return localEntry;
  if (name === undefined && current?.kind === 'gateway') return current;
  if (all.length === 0) return current;
  const chosen = await pickGateway(gateways, vscode.l10n.t('Which gateway?'), name, pickBeforeSteps);
  return chosen && { kind: 'gateway', ...chosen };
}

/**
 * Starts the local gateway, lets the window use it, and opens a chat. Asks first in a remote window.
 *
 * @param model whom the chat asks, by default the one that replied last
 */
async function useLocalGateway(services: GatewayServices, model?: unknown): Promise<void> {
  if (!(await mayStart(services))) return;
  await services.gateways.use(localEntry.name);
  const { error } = await startAndList(services);
  if (error) await notifyFailure(failureMessage(error), () => void useLocalGateway(services, model));
  else await runCommand('newChat', model, true);
}

/** Opens a chat with the demo, which needs no account and no network. */
async function tryDemo(services: GatewayServices): Promise<void> {
  await useLocalGateway(services, { id: demoChatModel });
}

/**
 * Asks for a gateway, tests it, and keeps it once it works or the user wants it anyway.
 *
 * @returns what was kept; undefined when the user gave up
 */
async function enterGateway(
  services: GatewayServices,
  questions: GatewayQuestions,
  first: GatewayDraft,
  use: boolean,
): Promise<ConfiguredGateway | undefined> {
  const { connection, plainHttp } = services;
  const { asksAddress, gatewayAt } = questions;
  let entered = await askGateway(services, questions, first);
  while (entered) {
    const { addresses, credential } = entered;
    const { baseUrl, test } = await testConnection(connection, addresses, credential);
    if (test.kind === 'cancelled') return undefined;
    const gateway = gatewayAt(baseUrl);
    const choice = test.kind === 'works' ? 'save' : await askAfterFailure(services, test);
    if (choice === 'save') {
      await keep(services, gateway, credential, use);
      return gateway;
    }
    if (choice === undefined) return undefined;
    if (choice === 'change-address' && !asksAddress) {
      await changeAddress(services, gateway.name);
      return undefined;
    }
    const address = plainHttp.better(baseUrl);
    if (choice === 'set-credential') entered = await askGateway(services, questions, { address, addresses });
    else if (choice === 'change-address') entered = await askGateway(services, questions, { address });
  }
  return undefined;
}

async function keep(
  services: GatewayServices,
  gateway: ConfiguredGateway,
  credential: string,
  use: boolean,
): Promise<void> {
  const kept = await storeCredential(services, gateway, credential);
  const name = await services.gateways.save(gateway);
  if (use) await services.gateways.use(name);
  if (!kept) {
    void notify(
      'warning',
      vscode.l10n.t('VS Code could not store the credential. It is used until this window closes.'),
    );
  }
  const saved = services.gateways.all.find((each) => each.name === name);
  const state = saved && (await services.connection.of({ kind: 'gateway', ...saved }).refresh());
  if (state?.phase !== 'ready') return;
  const { models } = state;
  const connected = vscode.l10n.t('Connected to {0}: {1}.', name, modelCount(models.length));
  showStatusMessage(connected, 'check');
}

async function storeCredential(
  { credentials }: GatewayServices,
  gateway: ConfiguredGateway,
  credential: string,
) {
  if (credential !== '') return credentials.store(gateway, credential);
  await credentials.forget(gateway);
  return true;
}

type AfterFailure = 'again' | 'set-credential' | 'change-address' | 'save' | undefined;

/** Shows why the test failed and asks what to do next. */
async function askAfterFailure(
  services: GatewayServices,
  test: Exclude<ConnectionTest, { kind: 'works' | 'cancelled' }>,
): Promise<AfterFailure> {
  const { text, actions } = testMessage(test);
  const isProxys = actions.includes('open-proxy');
  const isAddress = !isProxys && test.kind === 'failed' && test.error.kind === 'unreachable';
  const again = actionLabel('again');
  const openProxy = actionLabel('open-proxy');
  const mend = actionLabel(isAddress ? 'change-address' : 'set-credential');
  const save = vscode.l10n.t('Save Anyway');
  const showLog = actionLabel('show-log');
  const mends = isProxys ? [again, openProxy] : [mend];
  const chosen = await notify('error', text, ...mends, save, showLog);
  if (chosen === openProxy) {
    await runCommand('openProxySettings');
    return askAfterFailure(services, test);
  }
  if (chosen === showLog) services.log.show();
  if (chosen === again) return 'again';
  if (chosen === save) return 'save';
  if (chosen !== mend) return undefined;
  return isAddress ? 'change-address' : 'set-credential';
}

function testMessage(test: Exclude<ConnectionTest, { kind: 'works' | 'cancelled' }>): {
  readonly text: string;
  readonly actions: readonly FailureAction[];
} {
  if (test.kind === 'failed') {
    const message = failureMessage(test.error);
    return { text: failureText(message), actions: message.actions };
  }
  const text = vscode.l10n.t('The gateway accepted the credential but lists no models for this account.');
  return { text, actions: [] };
}

/** The commands of gateways and of the whole extension, by their ids. */
export const connectionCommands = {
  connect,
  useLocalGateway,
  tryDemo,
  setCredential,
  changeAddress,
  checkConnection,
  switchGateway,
  manageGateway,
  showMenu,
  showLog,
  openTimeouts,
  openProxySettings,
  openSettings,
  openHelp,
  getStarted,
  closeInput: closeStep,
} satisfies CommandTable<GatewayServices>;
