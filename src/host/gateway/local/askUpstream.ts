import * as vscode from 'vscode';
import { readCredential } from '../../connection/credentialText.ts';
import { askInSteps, askStepText, back, pickStep, type Step } from '../../kit/display/steps.ts';
import { askAddress } from '../connectPrompts.ts';
import type { GatewayServices } from '../gatewayServices.ts';
import {
  draftOf,
  readUpstreamAddress,
  type UpstreamDraft,
  upstreamNameProblem,
  withAddress,
} from './upstreamDraft.ts';
import { type ExtraField, type UpstreamOffer, upstreamOffers } from './upstreamOffers.ts';

/** The local gateway's state of its upstreams. */
export interface KnownUpstreams {
  readonly kinds: readonly string[];
  /** The names of the upstreams that it has. */
  readonly taken: readonly string[];
}

/**
 * Asks what a new upstream is: its kind, its address, its key, its name.
 *
 * @param find returns what the local gateway knows, which may have to start; undefined to ask nothing
 * @param earlier what was said before, which is in the boxes at first: they begin after the kind, to which *Back* leads
 * @returns undefined when the user gave up
 */
export async function askUpstream(
  services: GatewayServices,
  find: () => Promise<KnownUpstreams | undefined>,
  earlier?: UpstreamDraft,
): Promise<UpstreamDraft | undefined> {
  let known: KnownUpstreams | undefined;
  return askInSteps<UpstreamDraft | undefined>({
    title: vscode.l10n.t('Add Upstream'),
    first: earlier,
    prepare: async () => {
      known = await find();
      return known !== undefined;
    },
    steps: (draft) => stepsFor(services, draft, known),
    begin: earlier ? 1 : 0,
  });
}

type DraftStep = Step<UpstreamDraft | undefined>;

function stepsFor(
  services: GatewayServices,
  draft: UpstreamDraft | undefined,
  { kinds, taken }: KnownUpstreams = { kinds: [], taken: [] },
): readonly DraftStep[] {
  const { fields = [], key = 'maybe', isOne = false } = draft?.offer ?? {};
  return [
    kindStep(kinds, taken),
    ...(isOne ? [] : [known(addressStep(services))]),
    ...fields.map((field) => known(fieldStep(field))),
    known(key === 'by-command' ? commandStep : keyStep),
    ...(isOne ? [] : [known(nameStep(taken))]),
  ];
}

/** A step after the kind was chosen. */
function known(step: Step<UpstreamDraft>): DraftStep {
  return async (draft, place) => draft && step(draft, place);
}

function kindStep(kinds: readonly string[], taken: readonly string[]): DraftStep {
  return async (draft, place) => {
    const offers = upstreamOffers.filter(({ kind }) => kinds.includes(kind));
    const choices = offers.map((offer) => ({ label: offer.title, offer, ...wordsOf(offer) }));
    const chosen = await pickStep(place, choices, {
      placeHolder: vscode.l10n.t('Which kind of upstream?'),
      active: choices.find(({ offer }) => offer === draft?.offer),
    });
    if (chosen === undefined || chosen === back) return chosen;
    return draft?.offer === chosen.offer ? draft : draftOf(chosen.offer, taken);
  };
}

function wordsOf({ id, baseUrl }: UpstreamOffer): {
  readonly description?: string;
  readonly detail?: string;
} {
  const description = baseUrl === '' ? {} : { description: new URL(baseUrl).host };
  switch (id) {
    case 'anthropic':
      return { ...description, detail: vscode.l10n.t('Claude models, by key') };
    case 'gemini':
      return { ...description, detail: vscode.l10n.t('content generation, by key') };
    case 'local':
      return { detail: vscode.l10n.t('on this machine: Ollama, llama.cpp, LM Studio, vLLM') };
    case 'compatible':
      return {
        detail: vscode.l10n.t(
          'any other provider of chat completions: OpenRouter, Groq, Mistral, DeepSeek, xAI, Azure …',
        ),
      };
    case 'cloud':
      return {
        ...description,
        detail: vscode.l10n.t('Vertex AI: by project and location, signed in with gcloud'),
      };
    case 'dashscope':
      return { ...description, detail: vscode.l10n.t('chat completions, and videos as tasks') };
    case 'messages':
      return { detail: vscode.l10n.t('any other provider of messages') };
    case 'responses':
      return { detail: vscode.l10n.t('any provider of the responses route alone') };
    case 'interactions':
      return { ...description, detail: vscode.l10n.t('the interactions route alone') };
    case 'videos':
      return { detail: vscode.l10n.t('any provider of video jobs at /v1/videos') };
    default:
      return description;
  }
}

function addressStep({ plainHttp }: GatewayServices): Step<UpstreamDraft> {
  return async (draft, place) => {
    const entered = await askAddress(place, plainHttp, {
      prompt: vscode.l10n.t('The address of its API'),
      placeHolder: 'https://models.example/v1',
      value: draft.address,
      read: (text) => readUpstreamAddress(text, draft.offer.kind),
    });
    if (entered === undefined || entered === back) return entered;
    return withAddress(draft, entered.addresses, entered.address);
  };
}

function fieldStep({ name }: ExtraField): Step<UpstreamDraft> {
  return async (draft, place) => {
    const typed = await askStepText(place, {
      prompt:
        name === 'project'
          ? vscode.l10n.t('ID of the project that is billed')
          : vscode.l10n.t('The location that serves the models, such as global or us-east5'),
      value: draft.fields[name],
      problem: (text) =>
        /^[a-z0-9][a-z0-9.:-]*$/.test(text.trim())
          ? undefined
          : vscode.l10n.t('Enter lower-case letters, digits and hyphens.'),
    });
    if (typed === undefined || typed === back) return typed;
    return { ...draft, fields: { ...draft.fields, [name]: typed.trim() } };
  };
}

async function keyStep(draft: UpstreamDraft, place: Parameters<Step<UpstreamDraft>>[1]) {
  const isOptional = draft.offer.key === 'maybe';
  const typed = await askStepText(place, {
    prompt: keyPrompt(draft.baseUrl),
    placeHolder: isOptional ? vscode.l10n.t('Leave empty if it needs none') : undefined,
    value: draft.key,
    password: true,
    problem: (text) => keyProblem(text, isOptional),
  });
  if (typed === undefined || typed === back) return typed;
  const reading = readCredential(typed);
  return { ...draft, key: reading.ok ? reading.credential : '' };
}

async function commandStep(draft: UpstreamDraft, place: Parameters<Step<UpstreamDraft>>[1]) {
  const typed = await askStepText(place, {
    prompt: vscode.l10n.t('The command that prints its token. Your shell runs it whenever a new one is due.'),
    value: draft.command,
    problem: (text) => (text.trim() === '' ? vscode.l10n.t('Enter a command.') : undefined),
  });
  if (typed === undefined || typed === back) return typed;
  return { ...draft, command: typed.trim() };
}

/** What a box for the key of an upstream says above it. */
export function keyPrompt(baseUrl: string): string {
  const { origin } = new URL(baseUrl);
  return vscode.l10n.t('The key for {0}. Stored in VS Code’s secret storage and sent only there.', origin);
}

/** What is wrong with a key as it was typed; undefined for a good one. */
export function keyProblem(text: string, isOptional: boolean): string | undefined {
  const reading = readCredential(text);
  if (reading.ok || (isOptional && reading.problem === 'empty')) return undefined;
  return reading.problem === 'empty'
    ? vscode.l10n.t('Enter the key.')
    : vscode.l10n.t('The key has a space, a line break or characters that cannot be sent. Copy it again.');
}

function nameStep(taken: readonly string[]): Step<UpstreamDraft> {
  return async (draft, place) => {
    const typed = await askStepText(place, {
      prompt: vscode.l10n.t(
        'A short name. Model IDs begin with it where several upstreams have the same model.',
      ),
      value: draft.name,
      problem: (text) => nameWords(upstreamNameProblem(text.trim(), taken)),
    });
    if (typed === undefined || typed === back) return typed;
    return { ...draft, name: typed.trim() };
  };
}

function nameWords(problem: 'form' | 'taken' | undefined): string | undefined {
  if (problem === undefined) return undefined;
  return problem === 'taken'
    ? vscode.l10n.t('Another upstream has this name.')
    : vscode.l10n.t('Enter 1 to 32 lower-case letters, digits and hyphens.');
}
