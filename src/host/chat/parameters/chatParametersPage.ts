import * as vscode from 'vscode';
import {
  type ChatParameters,
  countParameters,
  withOtherFields,
} from '../../../conversations/conversation/chatParameters.ts';
import type {
  ParametersAction,
  ParametersMessage,
  ParametersState,
  ParametersView,
  SystemPromptView,
} from '../../../protocol/parameters.ts';
import { commonNames } from '../../../wire/apis/shared/requestSettings.ts';
import { type TextFormat, textFormat } from '../../../wire/apis/textFormats.ts';
import { runCommand } from '../../kit/manifest/contributions.ts';
import { buildParameterSchema, filterParameters } from '../../kit/pages/parameterSchema.ts';
import type { ChatSession } from '../session/chatSession.ts';
import { describeCommonParameters } from './commonParameterWords.ts';
import { removeDefault, saveDefault } from './modelDefault.ts';
import { compareWithDefault, toFormValues, withFormValue } from './parameterForm.ts';

type ParametersChange = Extract<
  ParametersMessage,
  { type: 'set-parameters' | 'set-common-parameter' | 'set-system-prompt' | 'parameters-action' }
>;

/** The parameters of a chat as its page shows and changes them. */
export class ChatParametersPage {
  readonly #session: ChatSession;

  constructor(session: ChatSession) {
    this.#session = session;
  }

  /** The number of parameters set for the next question. */
  get count(): number {
    const { format, model = '' } = this.#session.target;
    return countParameters(this.#current, format, model);
  }

  /** The system prompt, and whether it differs from the system prompt of the last question. */
  get systemPrompt(): SystemPromptView {
    const { systemPrompt: text } = this.#current;
    const last = this.#session.conversation.lastTurn?.question;
    return { text, isNew: last !== undefined && (last.systemPrompt ?? '') !== text };
  }

  async createView(): Promise<ParametersView> {
    const format = this.#format;
    const schema = await buildParameterSchema(format, (english) => vscode.l10n.t(english));
    return {
      commonSchema: createCommonSchema(format),
      common: toFormValues(this.#current),
      schema,
      values: this.#current.others[format.id] ?? {},
      unused: listUnusedTitles(format, this.#current),
      model: this.#session.target.model,
      format: format.label,
    };
  }

  get state(): ParametersState {
    const { model, parameters } = this.#session.target;
    const { wasReset, changes, externalChanges } = parameters;
    const storedDefault = model === undefined ? undefined : parameters.store.getDefaultParameters(model);
    return { defaults: compareWithDefault(this.#current, storedDefault), wasReset, changes, externalChanges };
  }

  /** Applies a change that the page sent. Invalid values are ignored. */
  async change(message: ParametersChange): Promise<void> {
    const { parameters } = this.#session.target;
    switch (message.type) {
      case 'set-parameters': {
        const format = this.#format;
        const accepted = await filterParameters(format, message.values);
        return parameters.choose(withOtherFields(this.#current, format.id, accepted), 'form');
      }
      case 'set-common-parameter':
        return parameters.choose(withFormValue(this.#current, message.name, message.value), 'form');
      case 'set-system-prompt':
        return parameters.choose({ ...this.#current, systemPrompt: message.text }, 'other');
      case 'parameters-action':
        return this.#performAction(message.action);
    }
  }

  async #performAction(action: ParametersAction): Promise<void> {
    const { parameters, model } = this.#session.target;
    switch (action) {
      case 'reset':
        return parameters.reset(model);
      case 'undo-reset':
        return parameters.undoReset();
      case 'save-default':
        return saveDefault(this.#session.target);
      case 'remove-default':
        return removeDefault(this.#session.target);
      case 'presets':
        return runCommand('chat.parameterPresets');
      case 'edit-schema':
        return runCommand('chat.editResponseSchema');
    }
  }

  get #current() {
    const { parameters, model } = this.#session.target;
    return parameters.getForModel(model);
  }

  get #format(): TextFormat {
    return textFormat(this.#session.target.format);
  }
}

/** Creates the JSON Schema of the common parameters of a format, with translated titles and help. */
function createCommonSchema(format: TextFormat): object {
  const words = describeCommonParameters(format);
  const fields = commonNames.flatMap((name) => {
    const field = format.common[name];
    return field ? [[name, { ...field.schema, ...words[name] }]] : [];
  });
  const prompt = { type: 'string', ...words.systemPrompt };
  return { type: 'object', properties: { systemPrompt: prompt, ...Object.fromEntries(fields) } };
}

/** Lists the titles of common parameters that are set although the format does not support them. */
function listUnusedTitles(format: TextFormat, { common }: ChatParameters): readonly string[] {
  const words = describeCommonParameters(format);
  return commonNames
    .filter((name) => common[name] !== undefined && format.common[name] === undefined)
    .map((name) => words[name].title);
}
