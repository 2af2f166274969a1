import * as vscode from 'vscode';
import { type AddressProblem, readAddress } from '../connection/address.ts';
import type { ConfiguredGateway } from '../connection/configuredGateway.ts';
import { readCredential } from '../connection/credentialText.ts';
import type { PlainHttpConsent } from '../connection/plainHttp.ts';
import {
  askInSteps,
  askStepText,
  back,
  pickStep,
  type Step,
  type StepAnswer,
  type StepPlace,
} from '../kit/display/steps.ts';
import type { GatewayServices } from './gatewayServices.ts';

/** The addresses that may be meant, the likeliest first. All have the same origin. */
export type Addresses = readonly [string, ...string[]];

/** A gateway as far as the user has entered it. */
export interface GatewayDraft {
  /** In the box at first. */
  readonly address?: string | undefined;
  readonly addresses?: Addresses;
  /** Empty where none is needed. */
  readonly credential?: string | undefined;
}

/** A gateway as the user entered it. */
export type EnteredGateway = GatewayDraft & Required<Pick<GatewayDraft, 'addresses' | 'credential'>>;

export interface GatewayQuestions {
  readonly title: string;
  /** Whether the address is asked for. */
  readonly asksAddress: boolean;
  /** The gateway at an address. */
  readonly gatewayAt: (baseUrl: string) => ConfiguredGateway;
  /** Returns the credential that is kept for an address, in place of asking. */
  readonly known?: (baseUrl: string) => Promise<string | undefined>;
}

/**
 * Asks for the address and the credential of a gateway.
 *
 * @returns undefined when the user gave up
 */
export async function askGateway(
  services: GatewayServices,
  questions: GatewayQuestions,
  draft: GatewayDraft,
): Promise<EnteredGateway | undefined> {
  const steps = [
    ...(questions.asksAddress ? [addressStep(services, questions)] : []),
    credentialStep(services, questions),
  ];
  const begin = draft.addresses === undefined ? 0 : steps.length - 1;
  const entered = await askInSteps({ title: questions.title, first: draft, steps: () => steps, begin });
  return entered && isEntered(entered) ? entered : undefined;
}

function isEntered(draft: GatewayDraft): draft is EnteredGateway {
  return draft.addresses !== undefined && draft.credential !== undefined;
}

function addressStep({ plainHttp }: GatewayServices, { known }: GatewayQuestions): Step<GatewayDraft> {
  return async (draft, place) => {
    const entered = await askAddress(place, plainHttp, {
      prompt: vscode.l10n.t('The gateway’s address'),
      placeHolder: 'https://gateway.example',
      value: draft.address,
      read: readAddress,
    });
    if (entered === undefined || entered === back) return entered;
    return { ...entered, credential: await known?.(entered.addresses[0]) };
  };
}

/** Asks for an address, and for the consent to plain http where it needs that. Returns also the text as entered. */
export async function askAddress(
  place: StepPlace,
  plainHttp: PlainHttpConsent,
  {
    read,
    value: first,
    ...shown
  }: {
    readonly prompt: string;
    readonly placeHolder: string;
    readonly value: string | undefined;
    readonly read: typeof readAddress;
  },
): Promise<StepAnswer<{ readonly address: string; readonly addresses: Addresses }>> {
  for (let value = first; ; ) {
    const typed = await askStepText(place, {
      ...shown,
      value,
      problem: (text) => {
        const reading = read(text);
        return reading.ok ? undefined : addressProblem(reading.problem);
      },
    });
    if (typed === undefined || typed === back) return typed;
    const reading = read(typed);
    if (!reading.ok) continue;
    const { candidates: addresses } = reading;
    if (await plainHttp.ask(addresses[0])) return { address: typed.trim(), addresses };
    value = plainHttp.better(new URL(addresses[0]).origin);
  }
}

function addressProblem(problem: AddressProblem): string {
  switch (problem) {
    case 'empty':
      return vscode.l10n.t('Enter an address.');
    case 'not-an-address':
      return vscode.l10n.t('This is not an address. It looks like https://gateway.example');
    case 'not-http':
      return vscode.l10n.t('The address must start with https://');
    case 'plain-http':
      return vscode.l10n.t(
        'Plain http would show the credential to everyone on the way. Use https; http is for this machine and private networks.',
      );
    case 'holds-credentials':
      return vscode.l10n.t('Leave out the user name and password; the next step asks for the credential.');
    case 'holds-query':
      return vscode.l10n.t('Leave out everything from ? or # on.');
  }
}

/** The credential may be empty on this machine and in a private network only. */
function credentialStep(services: GatewayServices, { gatewayAt }: GatewayQuestions): Step<GatewayDraft> {
  return async (draft, place) => {
    const { addresses, credential } = draft;
    if (addresses === undefined || credential !== undefined) return draft;
    const gateway = gatewayAt(addresses[0]);
    const earlier = await credentialLeftBehind(services, gateway, place);
    if (earlier === undefined || earlier === back) return earlier;
    if (earlier.credential !== undefined) return { ...draft, credential: earlier.credential };
    const { origin, protocol } = new URL(gateway.baseUrl);
    const isOptional = protocol === 'http:';
    const typed = await askStepText(place, {
      prompt: vscode.l10n.t(
        'Its credential, for {0}. Stored in VS Code’s secret storage and sent only there.',
        origin,
      ),
      placeHolder: isOptional ? vscode.l10n.t('Leave empty if this gateway needs none') : undefined,
      password: true,
      problem: (text) => credentialProblem(text, isOptional),
    });
    if (typed === undefined || typed === back) return typed;
    const reading = readCredential(typed);
    return { ...draft, credential: reading.ok ? reading.credential : '' };
  };
}

function credentialProblem(text: string, isOptional: boolean): string | undefined {
  const reading = readCredential(text);
  if (reading.ok) return undefined;
  switch (reading.problem) {
    case 'empty':
      return isOptional ? undefined : vscode.l10n.t('Enter the credential.');
    case 'line-break':
      return vscode.l10n.t('The credential has a line break in it. Copy it again without one.');
    case 'space':
      return vscode.l10n.t('The credential has a space in it. Copy it again without one.');
    case 'unprintable':
      return vscode.l10n.t('The credential has characters that cannot be sent. Copy it again.');
  }
}

/**
 * Offers the credential of a gateway that had another name, at the same origin, where this one has none.
 *
 * @returns no credential where there is none, or the user wants to enter another
 */
async function credentialLeftBehind(
  { credentials, gateways }: GatewayServices,
  gateway: ConfiguredGateway,
  place: StepPlace,
): Promise<StepAnswer<{ readonly credential: string | undefined }>> {
  const none = { credential: undefined };
  if (credentials.wasKept(gateway)) return none;
  const [earlier] = credentials.leftBehind(gateway, gateways.all);
  if (earlier === undefined) return none;
  const use = { icon: 'key', label: vscode.l10n.t('Use the Credential of “{0}”', earlier.name) };
  const enter = { icon: 'edit', label: vscode.l10n.t('Enter Another Credential…') };
  const chosen = await pickStep(place, [use, enter], {
    placeHolder: vscode.l10n.t('“{0}” was entered for the same address', earlier.name),
  });
  if (chosen === undefined || chosen === back) return chosen;
  return chosen === use ? { credential: await credentials.read(earlier) } : none;
}
