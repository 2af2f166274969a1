import * as vscode from 'vscode';
import {
  back,
  pickStep,
  requestStepText,
  runSteps,
  type Step,
  type StepPosition,
} from '../../kit/display/quickInputSteps.ts';
import { promptForAddress } from '../connectPrompts.ts';
import type { GatewayServices } from '../gatewayServices.ts';
import { cleanCredential } from '../typedCredential.ts';
import {
  newUpstreamDraft,
  readUpstreamAddress,
  type UpstreamDraft,
  upstreamNameProblem,
  withAddress,
} from './upstreamDraft.ts';
import { type ExtraField, type UpstreamPreset, upstreamPresets } from './upstreamPresets.ts';

/** The local gateway's supported kinds of upstreams, and the names in use. */
export interface UpstreamChoices {
  readonly kinds: readonly string[];
  readonly takenNames: readonly string[];
}

/**
 * Prompts for the kind, the address, the key and the name of a new upstream.
 *
 * @param readChoices returns the local gateway's state, and starts the gateway if needed; undefined to cancel
 * @param earlier the values entered before, which the prompts show. The first prompt is then after the kind; *Back*
 * returns to the kind
 * @returns undefined when the user cancels
 */
export async function promptForUpstream(
  services: GatewayServices,
  readChoices: () => Promise<UpstreamChoices | undefined>,
  earlier?: UpstreamDraft,
): Promise<UpstreamDraft | undefined> {
  let available: UpstreamChoices | undefined;
  return runSteps<UpstreamDraft | undefined>({
    title: vscode.l10n.t('Add Upstream'),
    initialDraft: earlier,
    prepare: async () => {
      available = await readChoices();
      return available !== undefined;
    },
    steps: (draft) => createSteps(services, draft, available),
    firstIndex: earlier ? 1 : 0,
  });
}

type DraftStep = Step<UpstreamDraft | undefined>;

function createSteps(
  services: GatewayServices,
  draft: UpstreamDraft | undefined,
  { kinds, takenNames }: UpstreamChoices = { kinds: [], takenNames: [] },
): readonly DraftStep[] {
  const { fields = [], key = 'maybe', isSingle = false } = draft?.preset ?? {};
  return [
    kindStep(kinds, takenNames),
    ...(isSingle ? [] : [withDraft(addressStep(services))]),
    ...fields.map((field) => withDraft(fieldStep(field))),
    withDraft(key === 'by-command' ? commandStep : keyStep),
    ...(isSingle ? [] : [withDraft(nameStep(takenNames))]),
  ];
}

/** Wraps a step that follows the choice of the kind. */
function withDraft(step: Step<UpstreamDraft>): DraftStep {
  return async (draft, position) => draft && step(draft, position);
}

function kindStep(kinds: readonly string[], takenNames: readonly string[]): DraftStep {
  return async (draft, position) => {
    const presets = upstreamPresets.filter(({ kind }) => kinds.includes(kind));
    const choices = presets.map((preset) => ({ label: preset.title, preset, ...presetWords(preset) }));
    const chosen = await pickStep(position, choices, {
      placeHolder: vscode.l10n.t('Which kind of upstream?'),
      active: choices.find(({ preset }) => preset === draft?.preset),
    });
    if (chosen === undefined || chosen === back) return chosen;
    return draft?.preset === chosen.preset ? draft : newUpstreamDraft(chosen.preset, takenNames);
  };
}

function presetWords({ id, baseUrl }: UpstreamPreset): {
  readonly description?: string;
  readonly detail?: string;
} {
  const description = baseUrl === '' ? {} : { description: new URL(baseUrl).host };
  switch (id) {
    case 'anthropic':
      return { ...description, detail: vscode.l10n.t('Claude models, with a key') };
    case 'gemini':
      return { ...description, detail: vscode.l10n.t('content generation, with a key') };
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
        detail: vscode.l10n.t('Vertex AI: with a project and location, signed in with gcloud'),
      };
    case 'ark':
    case 'dashscope':
      return { ...description, detail: vscode.l10n.t('chat completions, and videos as tasks') };
    case 'new-api':
      return { detail: vscode.l10n.t('any gateway with videos at /v1/video/generations') };
    case 'messages':
      return { detail: vscode.l10n.t('any other provider of messages') };
    case 'responses':
      return { detail: vscode.l10n.t('any provider that supports only the responses route') };
    case 'interactions':
      return { ...description, detail: vscode.l10n.t('only the interactions route') };
    case 'videos':
      return { detail: vscode.l10n.t('any provider of video jobs at /v1/videos') };
    default:
      return description;
  }
}

function addressStep({ plainHttp }: GatewayServices): Step<UpstreamDraft> {
  return async (draft, position) => {
    const entered = await promptForAddress(position, plainHttp, {
      prompt: vscode.l10n.t('The address of its API'),
      placeHolder: 'https://models.example/v1',
      value: draft.address,
      read: (text) => readUpstreamAddress(text, draft.preset.kind),
    });
    if (entered === undefined || entered === back) return entered;
    return withAddress(draft, entered.addresses, entered.address);
  };
}

function fieldStep({ name }: ExtraField): Step<UpstreamDraft> {
  return async (draft, position) => {
    const input = await requestStepText(position, {
      prompt:
        name === 'project'
          ? vscode.l10n.t('ID of the project that is billed')
          : vscode.l10n.t('The location that serves the models, such as global or us-east5'),
      value: draft.fields[name],
      problem: (text) =>
        /^[a-z0-9][a-z0-9.:-]*$/.test(text.trim())
          ? undefined
          : vscode.l10n.t('Enter lowercase letters, digits and hyphens.'),
    });
    if (input === undefined || input === back) return input;
    return { ...draft, fields: { ...draft.fields, [name]: input.trim() } };
  };
}

async function keyStep(draft: UpstreamDraft, position: StepPosition) {
  const isOptional = draft.preset.key === 'maybe';
  const input = await requestStepText(position, {
    prompt: keyPrompt(draft.baseUrl),
    placeHolder: isOptional ? vscode.l10n.t('Leave empty if no key is required') : undefined,
    value: draft.key,
    password: true,
    problem: (text) => keyProblem(text, isOptional),
  });
  if (input === undefined || input === back) return input;
  const reading = cleanCredential(input);
  return { ...draft, key: reading.ok ? reading.credential : '' };
}

async function commandStep(draft: UpstreamDraft, position: StepPosition) {
  const input = await requestStepText(position, {
    prompt: vscode.l10n.t(
      'The command that prints its token. The system’s shell runs it whenever a new token is needed.',
    ),
    value: draft.command,
    problem: (text) => (text.trim() === '' ? vscode.l10n.t('Enter a command.') : undefined),
  });
  if (input === undefined || input === back) return input;
  return { ...draft, command: input.trim() };
}

/** The prompt above a box for the key of an upstream. */
export function keyPrompt(baseUrl: string): string {
  const { origin } = new URL(baseUrl);
  return vscode.l10n.t(
    'The key for {0}. Stored in VS Code’s secret storage and sent only to this address.',
    origin,
  );
}

/** The problem of an entered key; undefined if it is valid. */
export function keyProblem(text: string, isOptional: boolean): string | undefined {
  const reading = cleanCredential(text);
  if (reading.ok || (isOptional && reading.problem === 'empty')) return undefined;
  return reading.problem === 'empty'
    ? vscode.l10n.t('Enter the key.')
    : vscode.l10n.t(
        'The key contains a space, a line break or characters that cannot be sent. Copy it again.',
      );
}

function nameStep(takenNames: readonly string[]): Step<UpstreamDraft> {
  return async (draft, position) => {
    const input = await requestStepText(position, {
      prompt: vscode.l10n.t(
        'A short name. It is the prefix of model IDs if several upstreams have the same model.',
      ),
      value: draft.name,
      problem: (text) => nameProblemWords(upstreamNameProblem(text.trim(), takenNames)),
    });
    if (input === undefined || input === back) return input;
    return { ...draft, name: input.trim() };
  };
}

function nameProblemWords(problem: 'form' | 'taken' | undefined): string | undefined {
  if (problem === undefined) return undefined;
  return problem === 'taken'
    ? vscode.l10n.t('Another upstream has this name.')
    : vscode.l10n.t('Enter 1 to 32 lowercase letters, digits and hyphens.');
}
