import * as vscode from 'vscode';
import type { ConfiguredGateway } from '../connection/configuredGateway.ts';
import { findCommandProblem, hasCommand } from '../connection/credentialCommands.ts';
import type { PlainHttpConsent } from '../connection/plainHttp.ts';
import { readAddress, type TypedAddressProblem } from '../connection/typedAddress.ts';
import {
  back,
  pickStep,
  requestStepText,
  runSteps,
  type Step,
  type StepAnswer,
  type StepPosition,
} from '../kit/display/quickInputSteps.ts';
import type { GatewayServices } from './gatewayServices.ts';
import { cleanCredential } from './typedCredential.ts';

/** The possible addresses, the likeliest first. All have the same origin. */
type Addresses = readonly [string, ...string[]];

/** The values that the user has entered so far. */
export interface GatewayDraft {
  /** The initial text of the address box. */
  readonly address?: string | undefined;
  readonly addresses?: Addresses;
  /** Empty if the gateway does not need a credential, or if a command prints it. */
  readonly credential?: string | undefined;
  /** The command that prints the credential. The user has confirmed it. */
  readonly command?: string | undefined;
}

/** The values after the last prompt. */
type EnteredGateway = GatewayDraft & Required<Pick<GatewayDraft, 'addresses' | 'credential'>>;

/** The variable parts of the prompts for a gateway. */
export interface GatewayPrompts {
  readonly title: string;
  /** Whether the user is prompted for the address. */
  readonly hasAddressStep: boolean;
  /** The gateway at an address. */
  readonly createGateway: (baseUrl: string) => ConfiguredGateway;
  /** Returns the stored credential of an address, which replaces the prompt. */
  readonly readStoredCredential?: (baseUrl: string) => Promise<string | undefined>;
}

/**
 * Prompts for the address and the credential of a gateway.
 *
 * @returns undefined when the user cancels
 */
export async function promptForGateway(
  services: GatewayServices,
  prompts: GatewayPrompts,
  draft: GatewayDraft,
): Promise<EnteredGateway | undefined> {
  const steps = [
    ...(prompts.hasAddressStep ? [addressStep(services, prompts)] : []),
    credentialStep(services, prompts),
  ];
  const firstIndex = draft.addresses === undefined ? 0 : steps.length - 1;
  const entered = await runSteps({
    title: prompts.title,
    initialDraft: draft,
    steps: () => steps,
    firstIndex,
  });
  return entered && isEntered(entered) ? entered : undefined;
}

function isEntered(draft: GatewayDraft): draft is EnteredGateway {
  return draft.addresses !== undefined && draft.credential !== undefined;
}

function addressStep(
  { plainHttp }: GatewayServices,
  { readStoredCredential }: GatewayPrompts,
): Step<GatewayDraft> {
  return async (draft, position) => {
    const entered = await promptForAddress(position, plainHttp, {
      prompt: vscode.l10n.t('The gateway’s address'),
      placeHolder: 'https://gateway.example',
      value: draft.address,
      read: readAddress,
    });
    if (entered === undefined || entered === back) return entered;
    return { ...entered, credential: await readStoredCredential?.(entered.addresses[0]), command: undefined };
  };
}

/**
 * Prompts for an address, and for the consent to plain HTTP if needed.
 *
 * @returns the text as entered, and its possible addresses
 */
export async function promptForAddress(
  position: StepPosition,
  plainHttp: PlainHttpConsent,
  {
    read,
    value: initialValue,
    ...shown
  }: {
    readonly prompt: string;
    readonly placeHolder: string;
    readonly value: string | undefined;
    readonly read: typeof readAddress;
  },
): Promise<StepAnswer<{ readonly address: string; readonly addresses: Addresses }>> {
  for (let value = initialValue; ; ) {
    const input = await requestStepText(position, {
      ...shown,
      value,
      problem: (text) => {
        const reading = read(text);
        return reading.ok ? undefined : addressProblem(reading.problem);
      },
    });
    if (input === undefined || input === back) return input;
    const reading = read(input);
    if (!reading.ok) continue;
    const { candidates: addresses } = reading;
    if (await plainHttp.requestConsent(addresses[0])) return { address: input.trim(), addresses };
    value = plainHttp.suggestAddress(new URL(addresses[0]).origin);
  }
}

function addressProblem(problem: TypedAddressProblem): string {
  switch (problem) {
    case 'empty':
      return vscode.l10n.t('Enter an address.');
    case 'not-an-address':
      return vscode.l10n.t('This is not a valid address. Example: https://gateway.example');
    case 'not-http':
      return vscode.l10n.t('The address must start with https://');
    case 'plain-http':
      return vscode.l10n.t(
        'Plain http would expose the credential on the network. Use https; http is only for this machine and private networks.',
      );
    case 'contains-credentials':
      return vscode.l10n.t('Remove the user name and password; you enter the credential in the next step.');
    case 'contains-query':
      return vscode.l10n.t('Remove ? or # and everything after it.');
  }
}

/**
 * The prompt for a credential or for the command that prints it. An empty credential is allowed only on this machine
 * and in a private network.
 */
function credentialStep(services: GatewayServices, { createGateway }: GatewayPrompts): Step<GatewayDraft> {
  return async (draft, position) => {
    const { addresses, credential } = draft;
    if (addresses === undefined || credential !== undefined) return draft;
    const gateway = createGateway(addresses[0]);
    if (hasCommand(gateway)) {
      const entered = await offerCommand(services, gateway, position);
      if (entered !== enterCredential)
        return entered && entered !== back ? { ...draft, ...entered } : entered;
    }
    const offer = await offerOrphanedCredential(services, gateway, position);
    if (offer === undefined || offer === back) return offer;
    if (offer.credential !== undefined) return { ...draft, credential: offer.credential };
    const { origin, protocol } = new URL(gateway.baseUrl);
    const isOptional = protocol === 'http:';
    const input = await requestStepText<typeof useCommand>(position, {
      prompt: vscode.l10n.t(
        'The credential for {0}. Stored in VS Code’s secret storage and sent only to this address.',
        origin,
      ),
      placeHolder: isOptional
        ? vscode.l10n.t('Leave empty if this gateway requires no credential')
        : undefined,
      password: true,
      problem: (text) => credentialProblem(text, isOptional),
      button: { icon: 'terminal', tooltip: vscode.l10n.t('Use a Command'), answer: useCommand },
    });
    if (input === undefined || input === back) return input;
    if (input === useCommand) {
      const entered = await promptForCommand(services, gateway, position);
      return entered && entered !== back ? { ...draft, ...entered } : entered;
    }
    const reading = cleanCredential(input);
    return { ...draft, credential: reading.ok ? reading.credential : '' };
  };
}

/** The user's choice to enter a command instead of a credential. */
const useCommand = Symbol('use a command');
/** The user's choice to enter a credential instead of a command. */
const enterCredential = Symbol('enter a credential');

/** A command that the user has confirmed. The credential is empty. */
type EnteredCommand = Required<Pick<GatewayDraft, 'command' | 'credential'>>;

/** Prompts for a command, which the user has to confirm. */
async function promptForCommand(
  { credentialCommands }: GatewayServices,
  gateway: ConfiguredGateway,
  position: StepPosition,
): Promise<StepAnswer<EnteredCommand>> {
  for (let value = gateway.credentialCommand; ; ) {
    const input = await requestStepText(position, {
      prompt: vscode.l10n.t(
        'The command that prints the credential: alone on one line, or as JSON with access_token and expires_in or expiry',
      ),
      placeHolder: 'gcloud auth print-access-token',
      value,
      problem: (text) => findCommandProblem(text.trim()),
    });
    if (input === undefined || input === back) return input;
    const command = input.trim();
    const isConfirmed = await credentialCommands.requestConsent({ ...gateway, credentialCommand: command });
    if (isConfirmed) return { command, credential: '' };
    value = command;
  }
}

/** Offers the command in the settings. The user has to confirm it on this machine. */
async function offerCommand(
  services: GatewayServices,
  gateway: ConfiguredGateway & { readonly credentialCommand: string },
  position: StepPosition,
): Promise<StepAnswer<EnteredCommand | typeof enterCredential>> {
  const { credentialCommand: command } = gateway;
  const use = { icon: 'terminal', label: vscode.l10n.t('Use the Command'), detail: command };
  const change = { icon: 'edit', label: vscode.l10n.t('Change the Command…') };
  const enter = { icon: 'key', label: vscode.l10n.t('Enter a Credential…') };
  const placeHolder = vscode.l10n.t('A command prints the credential of this gateway');
  const chosen = await pickStep(position, [use, change, enter], { placeHolder });
  if (chosen === undefined || chosen === back) return chosen;
  if (chosen === enter) return enterCredential;
  const isConfirmed = chosen === use && (await services.credentialCommands.requestConsent(gateway));
  return isConfirmed ? { command, credential: '' } : promptForCommand(services, gateway, position);
}

function credentialProblem(text: string, isOptional: boolean): string | undefined {
  const reading = cleanCredential(text);
  if (reading.ok) return undefined;
  switch (reading.problem) {
    case 'empty':
      return isOptional ? undefined : vscode.l10n.t('Enter the credential.');
    case 'line-break':
      return vscode.l10n.t('The credential contains a line break. Copy it again without one.');
    case 'space':
      return vscode.l10n.t('The credential contains a space. Copy it again without one.');
    case 'unprintable':
      return vscode.l10n.t('The credential contains characters that cannot be sent. Copy it again.');
  }
}

/**
 * If this gateway has no credential, offers a stored credential of a gateway at the same origin whose name is no
 * longer in the settings.
 *
 * @returns an undefined credential if none is stored, or if the user chooses to enter another credential
 */
async function offerOrphanedCredential(
  { credentials, gateways }: GatewayServices,
  gateway: ConfiguredGateway,
  position: StepPosition,
): Promise<StepAnswer<{ readonly credential: string | undefined }>> {
  const none = { credential: undefined };
  if (credentials.wasStored(gateway)) return none;
  const [earlier] = credentials.findOrphaned(gateway, gateways.all);
  if (earlier === undefined) return none;
  const use = { icon: 'key', label: vscode.l10n.t('Use the Credential of “{0}”', earlier.name) };
  const enter = { icon: 'edit', label: vscode.l10n.t('Enter Another Credential…') };
  const chosen = await pickStep(position, [use, enter], {
    placeHolder: vscode.l10n.t('“{0}” uses the same address', earlier.name),
  });
  if (chosen === undefined || chosen === back) return chosen;
  return chosen === use ? { credential: await credentials.read(earlier) } : none;
}
