import * as vscode from 'vscode';
import { type FailureKind, type FailureReason, GatewayError } from '../../../wire/failures/gatewayError.ts';
import type { ConfiguredGateway } from '../../connection/configuredGateway.ts';
import type { Connection } from '../../connection/connection.ts';
import { hasCommand } from '../../connection/credentialCommands.ts';
import { type FailureAction, failureMessage, formatFailure } from '../../connection/failureMessage.ts';
import { notifyFailure } from '../../connection/failures/notifyFailure.ts';
import { type Gateway, isLocalName, localEntry, omitOriginSettings } from '../../connection/gateways.ts';
import { formatModelCount } from '../../kit/countWords.ts';
import { notify } from '../../kit/display/notify.ts';
import { withNotificationProgress } from '../../kit/display/progress.ts';
import { pick } from '../../kit/display/quickInput.ts';
import { closeStep, pickBeforeSteps } from '../../kit/display/quickInputSteps.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import type { CommandTable } from '../../kit/manifest/command.ts';
import { extensionId, runCommand, settingsSection } from '../../kit/manifest/contributions.ts';
import { getActionLabel } from '../../kit/noticeActions.ts';
import { demoChatModel } from '../../models/demoModels.ts';
import { findTargetGatewayName } from '../commandTarget.ts';
import { type GatewayDraft, type GatewayPrompts, promptForGateway } from '../connectPrompts.ts';
import type { GatewayServices } from '../gatewayServices.ts';
import { confirmStart, startAndList } from '../local/startStop.ts';
import { pickGateway } from '../pickGateway.ts';
import { checkConnection } from './checkConnection.ts';
import { forgetSecrets, removeGateway, showMenu, switchGateway } from './gatewayMenu.ts';
import { manageHeaders } from './headerCommands.ts';
import { getStarted, openHelp, openSettings } from './helpCommands.ts';
import { promptForRename } from './renameGateway.ts';

/**
 * Prompts for an address and a credential and tests them. Opens a conversation if the test succeeds, or if the user
 * saves them despite a failure.
 */
async function connect(services: GatewayServices): Promise<void> {
  const { gateways } = services;
  const title = vscode.l10n.t('Connect to a Gateway');
  const createGateway = (baseUrl: string) => gateways.findOrCreateGateway(baseUrl);
  if (await enterGateway(services, { title, hasAddressStep: true, createGateway }, {}, true))
    await runCommand('newChat', undefined, true);
}

/**
 * Prompts for a new credential of a gateway, by default of the window's gateway, which does not change.
 */
async function setCredential(services: GatewayServices, argument?: unknown): Promise<void> {
  if (!hasGateway(services)) return runCommand('connect');
  const gateway = await resolveGateway(services, findTargetGatewayName(services, argument));
  if (gateway?.kind === 'local') {
    await services.connection.get(gateway).refresh();
    return;
  }
  if (gateway === undefined) return;
  if (!(await services.plainHttp.requestConsent(gateway.baseUrl)))
    return changeAddress(services, gateway.name);
  const title = vscode.l10n.t('Set the Credential of {0}', gateway.name);
  const createGateway = (baseUrl: string) => ({ ...gateway, baseUrl });
  const draft = { addresses: [gateway.baseUrl] as const };
  await enterGateway(services, { title, hasAddressStep: false, createGateway }, draft, false);
}

/**
 * Prompts for the new address of a gateway, by default of the window's gateway. Its identity does not change, so its
 * conversations and stored data remain. For another origin, the user enters the credential again.
 */
async function changeAddress(services: GatewayServices, argument?: unknown): Promise<void> {
  if (!hasGateway(services)) return runCommand('connect');
  const gateway = await resolveGateway(services, findTargetGatewayName(services, argument));
  if (gateway?.kind === 'local') return runCommand('connect');
  if (gateway === undefined) return;
  const title = vscode.l10n.t('Change the Address of {0}', gateway.name);
  const isSameOrigin = (baseUrl: string) => new URL(baseUrl).origin === new URL(gateway.baseUrl).origin;
  const prompts: GatewayPrompts = {
    title,
    hasAddressStep: true,
    createGateway: (baseUrl) => ({
      ...(isSameOrigin(baseUrl) ? gateway : omitOriginSettings(gateway)),
      baseUrl,
    }),
    readStoredCredential: async (baseUrl) =>
      isSameOrigin(baseUrl) ? services.credentials.read(gateway) : undefined,
  };
  const savedGateway = await enterGateway(services, prompts, { address: gateway.baseUrl }, false);
  if (savedGateway && !isSameOrigin(savedGateway.baseUrl)) await forgetSecrets(services, gateway);
}

/** Shows the menu for changing and checking a gateway. */
async function manageGateway(services: GatewayServices, argument?: unknown): Promise<void> {
  const { t } = vscode.l10n;
  const choices = [
    { icon: 'key', label: t('Set Credential…'), run: setCredential },
    { icon: 'list-unordered', label: t('Headers…'), run: manageHeaders },
    { icon: 'link', label: t('Change Address…'), run: changeAddress },
    { icon: 'edit', label: t('Rename…'), run: promptForRename },
    { icon: 'pulse', label: t('Check Connection'), run: checkConnection },
    { icon: 'trash', label: t('Remove…'), run: removeGateway },
  ];
  const chosen = await pick(choices, { title: t('Manage Gateway') });
  await chosen?.run(services, argument);
}

function hasGateway({ gateways: { all, current } }: GatewayServices): boolean {
  return current !== undefined || all.length > 0;
}

/**
 * Returns the gateway with the name, or else the window's gateway. If that is the local gateway, which does not have
 * these settings, the user picks another gateway.
 */
async function resolveGateway(
  { gateways }: GatewayServices,
  name: string | undefined,
): Promise<Gateway | undefined> {
  const { all, current } = gateways;
  if (name !== undefined && isLocalName(name)) return localEntry;
  if (name === undefined && current?.kind === 'gateway') return current;
  if (all.length === 0) return current;
  return pickGateway(gateways, vscode.l10n.t('Which gateway?'), name, pickBeforeSteps);
}

/**
 * Starts the local gateway, makes it the window's gateway, and opens a conversation. In a remote window the user
 * has to agree first.
 *
 * @param model for the conversation; by default the model that replied last
 */
async function useLocalGateway(services: GatewayServices, model?: unknown): Promise<void> {
  if (!(await confirmStart(services))) return;
  await services.gateways.setCurrent(localEntry.name);
  const { error } = await startAndList(services);
  if (error) await notifyFailure(failureMessage(error), () => void useLocalGateway(services, model));
  else await runCommand('newChat', model, true);
}

/** Opens a conversation with the demo, which needs no account and no network. */
async function tryDemo(services: GatewayServices): Promise<void> {
  await useLocalGateway(services, { id: demoChatModel });
}

/**
 * Prompts for a gateway, tests it, and saves it if the test succeeds or the user saves it despite a failure.
 *
 * @param draft the values entered before
 * @param shouldBecomeCurrent whether the gateway becomes the window's gateway
 * @returns the gateway as entered; undefined if the user cancelled, or saved another address instead
 */
async function enterGateway(
  services: GatewayServices,
  prompts: GatewayPrompts,
  draft: GatewayDraft,
  shouldBecomeCurrent: boolean,
): Promise<ConfiguredGateway | undefined> {
  const { connection, plainHttp } = services;
  const { hasAddressStep, createGateway } = prompts;
  let entered = await promptForGateway(services, prompts, draft);
  while (entered) {
    const { addresses, credential, command } = entered;
    const createEnteredGateway = (baseUrl: string) => replaceCommand(createGateway(baseUrl), command);
    const { baseUrl, test } = await testConnection(connection, addresses, (each) => {
      const storedAuthentication = connection.createAuthentication(createEnteredGateway(each));
      return command === undefined
        ? { ...storedAuthentication, credential: async () => credential || undefined }
        : storedAuthentication;
    });
    if (test.kind === 'cancelled') return undefined;
    const gateway = createEnteredGateway(baseUrl);
    const choice = test.kind === 'works' ? 'save' : await promptAfterFailure(services, test);
    if (choice === 'save') {
      await saveGateway(services, gateway, credential, shouldBecomeCurrent);
      return gateway;
    }
    if (choice === undefined) return undefined;
    if (choice === 'change-address' && !hasAddressStep) {
      await changeAddress(services, gateway.name);
      return undefined;
    }
    const address = plainHttp.suggestAddress(baseUrl);
    if (choice === 'set-credential')
      entered = await promptForGateway(services, prompts, { address, addresses });
    else if (choice === 'change-address') entered = await promptForGateway(services, prompts, { address });
  }
  return undefined;
}

function replaceCommand(gateway: ConfiguredGateway, command: string | undefined): ConfiguredGateway {
  const { credentialCommand: _, ...others } = gateway;
  return command === undefined ? others : { ...others, credentialCommand: command };
}

/** Stores the credential and the gateway, reads its models, and shows their number in the status bar. */
async function saveGateway(
  services: GatewayServices,
  gateway: ConfiguredGateway,
  credential: string,
  shouldBecomeCurrent: boolean,
): Promise<void> {
  const isStored = await storeCredential(services, gateway, credential);
  const name = await services.gateways.save(gateway);
  if (shouldBecomeCurrent) await services.gateways.setCurrent(name);
  if (!isStored) {
    void notify(
      'warning',
      vscode.l10n.t('VS Code could not store the credential. It is used until this window closes.'),
    );
  }
  const savedGateway = services.gateways.all.find((each) => each.name === name);
  const state = savedGateway && (await services.connection.get(savedGateway).refresh());
  if (state?.phase !== 'ready') return;
  const { models } = state;
  const connected = vscode.l10n.t('Connected to {0}: {1}.', name, formatModelCount(models.length));
  showStatusMessage(connected, 'check');
}

/**
 * Stores the credential, or deletes the stored one if it is empty.
 *
 * @returns false if it could be stored for this window only
 */
async function storeCredential(
  { credentials, credentialCommands }: GatewayServices,
  gateway: ConfiguredGateway,
  credential: string,
): Promise<boolean> {
  if (!hasCommand(gateway)) await credentialCommands.forget(gateway);
  if (credential !== '') return credentials.store(gateway, credential);
  await credentials.forget(gateway);
  return true;
}

type NextStep = 'again' | 'set-credential' | 'change-address' | 'save' | undefined;

/** Shows why the test failed, and lets the user choose the next step. */
async function promptAfterFailure(
  services: GatewayServices,
  test: Exclude<ConnectionTest, { kind: 'works' | 'cancelled' }>,
): Promise<NextStep> {
  const { text, actions } = describeFailedTest(test);
  const isProxyFailure = actions.includes('open-proxy');
  const isAddressFailure = !isProxyFailure && test.kind === 'failed' && test.error.kind === 'unreachable';
  const tryAgain = getActionLabel('again');
  const openProxy = getActionLabel('open-proxy');
  const changeLabel = getActionLabel(isAddressFailure ? 'change-address' : 'set-credential');
  const saveLabel = vscode.l10n.t('Save Anyway');
  const showLogLabel = getActionLabel('show-log');
  const remedies = isProxyFailure ? [tryAgain, openProxy] : [changeLabel];
  const chosen = await notify('error', text, ...remedies, saveLabel, showLogLabel);
  if (chosen === openProxy) {
    await runCommand('openProxySettings');
    return promptAfterFailure(services, test);
  }
  if (chosen === showLogLabel) services.log.show();
  if (chosen === tryAgain) return 'again';
  if (chosen === saveLabel) return 'save';
  if (chosen !== changeLabel) return undefined;
  return isAddressFailure ? 'change-address' : 'set-credential';
}

function describeFailedTest(test: Exclude<ConnectionTest, { kind: 'works' | 'cancelled' }>): {
  readonly text: string;
  readonly actions: readonly FailureAction[];
} {
  if (test.kind === 'failed') {
    const message = failureMessage(test.error);
    return { text: formatFailure(message), actions: message.actions };
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
  showLog: ({ log }) => log.show(),
  openGatewaySettings: () => openSettings(`${settingsSection}.gateways`),
  openTimeouts: () => openSettings(`${settingsSection}.timeouts`),
  openProxySettings: () => openSettings('http.proxy'),
  openSettings: () => openSettings(`@ext:${extensionId}`),
  openHelp,
  getStarted,
  closeInput: closeStep,
} satisfies CommandTable<GatewayServices>;

/** The kinds of failures that prove that a gateway is at this path. */
const gatewayFailures: ReadonlySet<FailureKind> = new Set([
  'authentication',
  'rate-limited',
  'quota',
  'server',
]);
/** The reasons of unusable replies that suggest a wrong path. */
const wrongPathReasons: ReadonlySet<FailureReason> = new Set(['redirect', 'not-a-gateway', 'no-such-route']);

type Authentication = ReturnType<Connection['createAuthentication']>;

/** The outcome of a first request with an address and a credential. */
type ConnectionTest =
  | { readonly kind: 'works' }
  | { readonly kind: 'no-models' }
  | { readonly kind: 'failed'; readonly error: GatewayError }
  | { readonly kind: 'cancelled' };

/**
 * Reads the model list once, with cancellable progress, and stores nothing. If an address lists no models, the
 * next address is tried.
 *
 * @param addresses the possible addresses, all of one origin
 * @param authenticationAt the credential and the headers at an address
 * @returns the working address, or else the first address with its failure
 */
async function testConnection(
  connection: Connection,
  addresses: readonly [string, ...string[]],
  authenticationAt: (baseUrl: string) => Authentication,
): Promise<{ readonly baseUrl: string; readonly test: ConnectionTest }> {
  const [first] = addresses;
  return withNotificationProgress(
    vscode.l10n.t('Connecting to {0}…', new URL(first).host),
    async (signal) => {
      let firstFailure: { readonly baseUrl: string; readonly test: ConnectionTest } | undefined;
      for (const baseUrl of addresses) {
        const test = await testAddress(connection, baseUrl, authenticationAt(baseUrl), signal);
        if (test.kind === 'works' || test.kind === 'cancelled') return { baseUrl, test };
        firstFailure ??= { baseUrl, test };
        if (!isAnotherPathLikely(test)) break;
      }
      return firstFailure ?? { baseUrl: first, test: { kind: 'no-models' } };
    },
  );
}

/** Whether the failure suggests that the gateway is at another path. */
function isAnotherPathLikely(test: ConnectionTest): boolean {
  if (test.kind !== 'failed') return test.kind === 'no-models';
  const { kind, reason } = test.error;
  if (kind === 'unreachable') return reason !== undefined && wrongPathReasons.has(reason);
  return !gatewayFailures.has(kind);
}

async function testAddress(
  connection: Connection,
  baseUrl: string,
  authentication: Authentication,
  signal: AbortSignal,
): Promise<ConnectionTest> {
  const client = await connection.openEndpoint({ baseUrl, ...authentication });
  try {
    const models = await client.listModels({ signal });
    return models.length > 0 ? { kind: 'works' } : { kind: 'no-models' };
  } catch (error) {
    if (!GatewayError.is(error)) throw error;
    return error.kind === 'cancelled' ? { kind: 'cancelled' } : { kind: 'failed', error };
  } finally {
    void client.close();
  }
}
