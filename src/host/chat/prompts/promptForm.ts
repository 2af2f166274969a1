import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { PromptFormMessage, PromptFormView } from '../../../protocol/promptForm.ts';
import { textFormat } from '../../../wire/apis/textFormats.ts';
import { joinNames } from '../../kit/display/joinNames.ts';
import { notify } from '../../kit/display/notify.ts';
import type { ChatSession } from '../session/chatSession.ts';
import type { QuestionTarget } from '../session/questionTarget.ts';
import type { FilePrompt } from './promptFile.ts';
import { readFileName } from './promptList.ts';
import type { PromptMemory } from './promptMemory.ts';
import {
  type EditorVariable,
  fillTemplate,
  findMissingInputs,
  type InputValues,
  measureFilledTemplate,
} from './promptTemplate.ts';
import { formatFileLocation } from './promptWords.ts';

/** The maximum length of a sent message, in UTF-16 units. */
const maxTextLength = 1024 * 1024;

/** The maximum number of unknown variables that a warning lists. */
const maxShownNames = 4;

/** A prompt that the user runs, with the values of its editor variables. */
interface StartedPrompt {
  readonly uri: vscode.Uri;
  readonly prompt: FilePrompt;
  readonly editorValues: ReadonlyMap<EditorVariable, string>;
}

/** Fills the message box of a chat with a prompt. Shows a form first if the prompt has inputs. */
export class PromptForm {
  readonly #session: ChatSession;
  readonly #memory: PromptMemory;
  readonly #onDidChange = new vscode.EventEmitter<void>();
  /** Fires when the form opens or closes. */
  readonly onDidChange = this.#onDidChange.event;
  #openForm: { readonly id: string; readonly started: StartedPrompt } | undefined;

  constructor(session: ChatSession, memory: PromptMemory) {
    this.#session = session;
    this.#memory = memory;
  }

  /** The open form as the page shows it; undefined if no form is open. */
  get view(): PromptFormView | undefined {
    if (!this.#openForm) return undefined;
    const { id, started } = this.#openForm;
    const { name, description, hint, template } = started.prompt;
    const last = this.#memory.read(started.uri.toString());
    return {
      id,
      title: name,
      description: [description, hint].filter((text) => text !== '').join(' · '),
      fields: template.inputs.map(({ name, fallback }) => ({
        name,
        ...(fallback !== undefined && { fallback }),
        value: Object.hasOwn(last, name) ? (last[name] ?? '') : '',
      })),
    };
  }

  /** Fills the message box, or opens the form if the prompt has inputs. */
  async start(started: StartedPrompt): Promise<void> {
    const hasInputs = started.prompt.template.inputs.length > 0;
    this.#setOpenForm(hasInputs ? { id: randomUUID(), started } : undefined);
    if (!hasInputs) await this.#fill(started, {});
  }

  async handle(message: PromptFormMessage): Promise<void> {
    if (message.id !== this.#openForm?.id) return;
    const { started } = this.#openForm;
    if (message.type === 'close-prompt') return this.#setOpenForm(undefined);
    if (findMissingInputs(started.prompt.template, message.values).length > 0) return;
    if (!(await this.#fill(started, message.values))) return;
    this.#setOpenForm(undefined);
    await this.#memory.remember(started.uri.toString(), message.values);
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }

  /** @returns whether the prompt was inserted into the message box */
  async #fill({ uri, prompt, editorValues: editor }: StartedPrompt, input: InputValues): Promise<boolean> {
    const length = measureFilledTemplate(prompt.template, editor, input);
    if (length > maxTextLength) {
      const message = vscode.l10n.t(
        'The prompt {0} would have {1} characters. A message can have at most {2}: select less text.',
        prompt.name,
        length.toLocaleString(vscode.env.language),
        maxTextLength.toLocaleString(vscode.env.language),
      );
      void notify('error', message);
      return false;
    }
    const text = fillTemplate(prompt.template, editor, input);
    const { target, unsent } = this.#session;
    const warnings = [...(await chooseTarget(target, prompt)), ...createUnknownVariableWarnings(uri, prompt)];
    unsent.putBack({ text, images: [] });
    if (warnings.length > 0) void notify('warning', warnings.join(' '));
    return true;
  }

  #setOpenForm(form: { readonly id: string; readonly started: StartedPrompt } | undefined): void {
    if (form === undefined && this.#openForm === undefined) return;
    this.#openForm = form;
    this.#onDidChange.fire();
  }
}

/**
 * Chooses the model and the API format of the prompt for the next question.
 *
 * @returns a warning if the gateway does not list any model of the prompt
 */
async function chooseTarget(
  target: QuestionTarget,
  { name, models, format }: FilePrompt,
): Promise<readonly string[]> {
  const listedModels = target.gateway.connection?.state.models ?? [];
  const model = models
    .map((requested) => listedModels.find((each) => matchesModelName(requested, each.id, each.name)))
    .find((found) => found !== undefined);
  if (model) target.chooseModel(model.id);
  if (format !== undefined && format !== target.format) await target.chooseFormat(format);
  if (model || models.length === 0) return [];
  const modelNames = joinNames(models);
  const remainingModel = target.model;
  const gateway = target.gateway.connection?.gateway.name ?? '';
  return [
    remainingModel === undefined
      ? vscode.l10n.t('The prompt {0} is for {1}, which the gateway does not offer.', name, modelNames)
      : vscode.l10n.t(
          'The prompt {0} is for {1}, which {2} does not list. The chat stays with {3} ({4}).',
          name,
          modelNames,
          gateway,
          remainingModel,
          textFormat(target.format).label,
        ),
  ];
}

/**
 * Whether a prompt names a model by its id or its display name. The name may end with a provider in parentheses, as
 * in VS Code's own prompt files.
 */
function matchesModelName(requested: string, id: string, displayName: string | undefined): boolean {
  const normalizeName = (text: string) =>
    text
      .replace(/(?<!\s)\s*\([^()]*\)$/, '')
      .trim()
      .toLowerCase();
  return [id, displayName ?? ''].some(
    (name) => name !== '' && normalizeName(name) === normalizeName(requested),
  );
}

/** Creates the warning about unknown variables in a prompt; empty if all variables are known. */
function createUnknownVariableWarnings(
  uri: vscode.Uri,
  { template: { unknown } }: FilePrompt,
): readonly string[] {
  const [first] = unknown;
  if (!first) return [];
  const names = [...new Set(unknown.map(({ name }) => `\${${name}}`))];
  const more = names.length > maxShownNames ? ['…'] : [];
  const shownNames = joinNames([...names.slice(0, maxShownNames), ...more]);
  const location = formatFileLocation(readFileName(uri), first.line);
  return [vscode.l10n.t('{0}: unknown variables are not replaced: {1}.', location, shownNames)];
}
