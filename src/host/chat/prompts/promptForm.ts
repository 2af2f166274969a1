import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { PromptFormMessage, PromptFormView } from '../../../protocol/promptForm.ts';
import { textFormat } from '../../../wire/apis/textFormats.ts';
import { listed } from '../../kit/display/listed.ts';
import { notify } from '../../kit/display/notify.ts';
import type { AskTarget } from '../asking/askTarget.ts';
import type { ChatSession } from '../chatSession.ts';
import type { Prompt } from './promptFile.ts';
import { fileName } from './promptList.ts';
import type { PromptMemory } from './promptMemory.ts';
import { type EditorVariable, filledLength, filledTemplate, missingInputs } from './promptTemplate.ts';
import { placeWords } from './promptWords.ts';

/** The longest text that the message box sends, in UTF-16 units. */
const maxTextLength = 1024 * 1024;

/** So many of its unknown names are told of a prompt. */
const maxToldNames = 4;

/** A prompt that is run, with what the editor gave to it. */
export interface StartedPrompt {
  readonly uri: vscode.Uri;
  readonly prompt: Prompt;
  readonly editor: ReadonlyMap<EditorVariable, string>;
}

type Written = Readonly<Record<string, string>>;

/** Fills the message box of one chat with prompts, with a form where the user has to write something first. */
export class PromptForm {
  readonly #session: ChatSession;
  readonly #memory: PromptMemory;
  readonly #onDidChange = new vscode.EventEmitter<void>();
  /** The form opened or closed. */
  readonly onDidChange = this.#onDidChange.event;
  #open: { readonly id: string; readonly started: StartedPrompt } | undefined;

  constructor(session: ChatSession, memory: PromptMemory) {
    this.#session = session;
    this.#memory = memory;
  }

  /** Undefined while there is no form. */
  get view(): PromptFormView | undefined {
    if (!this.#open) return undefined;
    const { id, started } = this.#open;
    const { name, description, hint, template } = started.prompt;
    const last = this.#memory.of(started.uri.toString());
    return {
      id,
      title: name,
      description: [description, hint].filter((words) => words !== '').join(' · '),
      fields: template.inputs.map(({ name, fallback }) => ({
        name,
        ...(fallback !== undefined && { fallback }),
        value: Object.hasOwn(last, name) ? (last[name] ?? '') : '',
      })),
    };
  }

  /** Fills the message box, after the form where the prompt has inputs. */
  async start(started: StartedPrompt): Promise<void> {
    const hasInputs = started.prompt.template.inputs.length > 0;
    this.#show(hasInputs ? { id: randomUUID(), started } : undefined);
    if (!hasInputs) await this.#fill(started, {});
  }

  async handle(message: PromptFormMessage): Promise<void> {
    if (message.id !== this.#open?.id) return;
    const { started } = this.#open;
    if (message.type === 'close-prompt') return this.#show(undefined);
    if (missingInputs(started.prompt.template, message.values).length > 0) return;
    if (!(await this.#fill(started, message.values))) return;
    this.#show(undefined);
    await this.#memory.remember(started.uri.toString(), message.values);
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }

  /** @returns whether the message box holds the prompt now */
  async #fill({ uri, prompt, editor }: StartedPrompt, written: Written): Promise<boolean> {
    const length = filledLength(prompt.template, editor, written);
    if (length > maxTextLength) {
      const words = vscode.l10n.t(
        'The prompt {0} would have {1} characters. A message has at most {2}: select less.',
        ...[
          prompt.name,
          length.toLocaleString(vscode.env.language),
          maxTextLength.toLocaleString(vscode.env.language),
        ],
      );
      void notify('error', words);
      return false;
    }
    const text = filledTemplate(prompt.template, editor, written);
    const { target, unsent } = this.#session;
    const notes = [...(await chooseTarget(target, prompt)), ...unknownNames(uri, prompt)];
    unsent.giveBack({ text, images: [] });
    if (notes.length > 0) void notify('warning', notes.join(' '));
    return true;
  }

  #show(open: { readonly id: string; readonly started: StartedPrompt } | undefined): void {
    if (open === undefined && this.#open === undefined) return;
    this.#open = open;
    this.#onDidChange.fire();
  }
}

/** Lets the next question go to the model, and in the API format, of the prompt. Tells where it cannot. */
async function chooseTarget(target: AskTarget, { name, models, format }: Prompt): Promise<readonly string[]> {
  const known = target.gateway.now?.state.models ?? [];
  const model = models
    .map((wanted) => known.find(({ id, name: shown }) => isNamed(wanted, id, shown)))
    .find((found) => found !== undefined);
  if (model) target.chooseModel(model.id);
  if (format !== undefined && format !== target.format) await target.chooseFormat(format);
  if (model || models.length === 0) return [];
  const asked = listed(models);
  const stays = target.model;
  const gateway = target.gateway.now?.gateway.name ?? '';
  return [
    stays === undefined
      ? vscode.l10n.t('The prompt {0} is for {1}, which the gateway does not offer.', name, asked)
      : vscode.l10n.t(
          'The prompt {0} is for {1}, which {2} does not list. The chat stays with {3} ({4}).',
          ...[name, asked, gateway, stays, textFormat(target.format).label],
        ),
  ];
}

/** Whether a prompt means a model: by its id or its name, with or without who offers it, as VS Code writes it. */
function isNamed(wanted: string, id: string, shown: string | undefined): boolean {
  const plain = (text: string) =>
    text
      .replace(/(?<!\s)\s*\([^()]*\)$/, '')
      .trim()
      .toLowerCase();
  return [id, shown ?? ''].some((name) => name !== '' && plain(name) === plain(wanted));
}

function unknownNames(uri: vscode.Uri, { template: { unknown } }: Prompt): readonly string[] {
  const [first] = unknown;
  if (!first) return [];
  const names = [...new Set(unknown.map(({ name }) => `\${${name}}`))];
  const told = listed(names.slice(0, maxToldNames));
  const place = placeWords(fileName(uri), first.line);
  return [vscode.l10n.t('{0}: {1} is not a known variable and stays unchanged.', place, told)];
}
