import * as vscode from 'vscode';
import { runCommand } from '../contributions.ts';
import { modelCount } from '../counts.ts';
import { notify } from '../display/notify.ts';
import { showStatusMessage } from '../display/statusBar.ts';
import { notifyFailure } from '../failureActions.ts';
import { type FailureAction, failureMessage, failureText } from '../failureMessage.ts';
import { mayStart, startAndList } from '../localGateway/startStop.ts';
import { demoChatModel } from '../models/demoModels.ts';
import { actionLabel } from '../noticeActions.ts';
import type { CommandTable, Services } from '../services.ts';
import { checkConnection } from './check/checkCommand.ts';
import type { ConfiguredGateway } from './configuredGateway.ts';
import { type ConnectionTest, testConnection } from './connectionTest.ts';
import { askAddress, askCredential } from './connectPrompts.ts';
import { removeGateway, switchGateway } from './gatewayCommands.ts';
import { type Gateway, isLocalName, localEntry } from './gateways.ts';
import { getStarted, openHelp, openProxySettings, openSettings, openTimeouts } from './helpCommands.ts';
import { credentialLeftBehind } from './leftBehind.ts';
import { meantGateway } from './meantGateway.ts';
import { showLog, showMenu } from './menuCommands.ts';
import { pickGateway } from './pickGateway.ts';
import { renameGateway } from './renameGateway.ts';

/**
 * Asks for an address and a credential and tests them. Opens a chat once they work, or once the user keeps
 * them anyway.
 */
async function connect(services: Services): Promise<void> {
  let baseUrl = await askAddress(undefined);
  while (baseUrl !== undefined) {
    const result = await connectTo(services, services.gateways.at(baseUrl), true);
    if (result === 'kept') await runCommand('newChat');
    if (result !== 'change-address') return;
    baseUrl = await askAddress(services.plainHttp.better(baseUrl));
  }
}

/** Asks for a new credential of a gateway, by default of the current one. The window keeps its gateway. */
async function setCredential(services: Services, given?: unknown): Promise<void> {
  if (!hasGateway(services)) return void (await runCommand('connect'));
  const gateway = await gatewayOf(services, meantGateway(services, given));
  if (gateway?.kind === 'local') return void (await services.connection.of(gateway).refresh());
  if (gateway === undefined) return;
  if ((await connectTo(services, gateway, false)) === 'change-address')
    await changeAddress(services, gateway.name);
}

/**
 * Asks where a gateway is now, by default the current one. It stays the same gateway: chats and what is
 * remembered stay with it. At another origin it needs its credential again.
 */
async function changeAddress(services: Services, given?: unknown): Promise<void> {
  if (!hasGateway(services)) return void (await runCommand('connect'));
  const gateway = await gatewayOf(services, meantGateway(services, given));
  if (gateway?.kind === 'local') return void (await runCommand('connect'));
  if (gateway === undefined) return;
  let baseUrl = await askAddress(gateway.baseUrl, vscode.l10n.t('Change the Address of {0}', gateway.name));
  while (baseUrl !== undefined) {
    const moved = { ...gateway, baseUrl };
    const stays = new URL(baseUrl).origin === new URL(gateway.baseUrl).origin;
    const known = stays ? await services.credentials.read(gateway) : undefined;
    const result = await connectTo(services, moved, false, known);
    if (result === 'kept' && !stays) await services.credentials.forget(gateway);
    if (result !== 'change-address') return;
    baseUrl = await askAddress(
      services.plainHttp.better(baseUrl),
      vscode.l10n.t('Change the Address of {0}', gateway.name),
    );
  }
}

function hasGateway({ gateways: { all, current } }: Services): boolean {
  return current !== undefined || all.length > 0;
}

/** The gateway that is named, else the current one; asks where that is the local one, which has nothing to set. */
async function gatewayOf({ gateways }: Services, name: string | undefined): Promise<Gateway | undefined> {
  const { all, current } = gateways;
  if (name !== undefined && isLocalName(name)) return localEntry;
  if (name === undefined && current?.kind === 'gateway') return current;
  if (all.length === 0) return current;
  const chosen = await pickGateway(gateways, vscode.l10n.t('Which gateway?'), name);
  return chosen && { kind: 'gateway', ...chosen };
}

/**
 * Starts the local gateway, lets the window use it, and opens a chat. Asks first in a remote window.
 *
 * @param model whom the chat asks, by default the one that replied last
 */
async function useLocalGateway(services: Services, model?: unknown): Promise<void> {
  if (!(await mayStart(services))) return;
  await services.gateways.use(localEntry.name);
  const { error } = await startAndList(services);
  if (error) await notifyFailure(failureMessage(error), () => void useLocalGateway(services, model));
  else await runCommand('newChat', model);
}

/** Opens a chat with the demo, which needs no account and no network. */
async function tryDemo(services: Services): Promise<void> {
  await useLocalGateway(services, { id: demoChatModel });
}

async function connectTo(
  services: Services,
  gateway: ConfiguredGateway,
  use: boolean,
  known?: string,
): Promise<'kept' | 'change-address' | 'given-up'> {
  if (!(await services.plainHttp.ask(gateway.baseUrl))) return 'change-address';
  const earlier = known ?? (await credentialLeftBehind(services, gateway));
  let credential = earlier ?? (await askCredential(gateway));
  while (credential !== undefined) {
    const test = await testConnection(services.connection, gateway, credential);
    if (test.kind === 'cancelled') return 'given-up';
    const choice = test.kind === 'works' ? 'save' : await askAfterFailure(services, test);
    if (choice === 'save') {
      await keep(services, gateway, credential, use);
      return 'kept';
    }
    if (choice === 'change-address') return 'change-address';
    if (choice === undefined) return 'given-up';
    if (choice === 'set-credential') credential = await askCredential(gateway);
  }
  return 'given-up';
}

async function keep(
  services: Services,
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

async function storeCredential({ credentials }: Services, gateway: ConfiguredGateway, credential: string) {
  if (credential !== '') return credentials.store(gateway, credential);
  await credentials.forget(gateway);
  return true;
}

type AfterFailure = 'again' | 'set-credential' | 'change-address' | 'save' | undefined;

/** Shows why the test failed and asks what to do next. */
async function askAfterFailure(
  services: Services,
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
  renameGateway,
  removeGateway,
  showMenu,
  showLog,
  openTimeouts,
  openProxySettings,
  openSettings,
  openHelp,
  getStarted,
} satisfies CommandTable;
