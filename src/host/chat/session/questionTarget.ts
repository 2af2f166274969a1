import * as vscode from 'vscode';
import {
  buildRequestFields,
  type ChatParameters,
  noParameters,
} from '../../../conversations/conversation/chatParameters.ts';
import type { ReplySettings } from '../../../conversations/conversation/turn.ts';
import type { ChatFacts } from '../../../conversations/saving/saverOptions.ts';
import type { TextFormatId } from '../../../wire/apis/textFormats.ts';
import type { Connection } from '../../connection/connection.ts';
import { buildGatewayKey, type Gateway } from '../../connection/gateways.ts';
import type { FormatChoice } from '../../models/formatChoice.ts';
import type { ModelChoices } from '../../models/modelChoices.ts';
import { ChosenParameters } from '../parameters/store/chosenParameters.ts';
import type { ParameterStore } from '../parameters/store/parameterStore.ts';
import { ChatGateway } from './chatGateway.ts';

/** The services that the targets of all chats use. */
export interface TargetServices {
  readonly connection: Connection;
  readonly modelChoices: ModelChoices;
  readonly formats: FormatChoice;
  readonly parameterStore: ParameterStore;
}

/** The choices of the user for a chat. An absent property means the default of new chats. */
export interface TargetChoices {
  readonly gateway?: Gateway | undefined;
  readonly model?: string | undefined;
  readonly parameters?: ChatParameters | undefined;
  /** The models chosen for side-by-side replies. */
  readonly compared?: readonly string[] | undefined;
}

/** The target of a chat's next question: its gateway, model, API format and parameters. */
export class QuestionTarget {
  readonly gateway: ChatGateway;
  readonly parameters: ChosenParameters;
  readonly #services: TargetServices;
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly #subscription: vscode.Disposable;
  /** Fires for all changes except changes of the parameters, which `parameters` reports. */
  readonly onDidChange = this.#onDidChange.event;
  readonly #onDidCompare = new vscode.EventEmitter<void>();
  /** Fires when `compared` has changed. */
  readonly onDidCompare = this.#onDidCompare.event;
  #model: string | undefined;
  #compared: readonly string[] = [];

  constructor(services: TargetServices, choices: TargetChoices) {
    const { connection, parameterStore } = services;
    this.#services = services;
    this.gateway = new ChatGateway(connection);
    if (choices.gateway) this.gateway.moveTo(choices.gateway);
    this.#model = choices.model;
    this.#compared = choices.compared ?? [];
    this.parameters = new ChosenParameters(parameterStore, choices.parameters);
    this.#subscription = connection.onDidChangeGateways(() => this.#onDidChange.fire());
  }

  /** The chosen model, otherwise the default model of new chats; undefined if no model is known. */
  get model(): string | undefined {
    const { gateway, models = [] } = this.gateway.connection?.state ?? {};
    return this.#model ?? this.#services.modelChoices.suggestForChat(gateway, models);
  }

  get format(): TextFormatId {
    return this.#services.formats.of(this.gateway.connection?.gateway, this.model);
  }

  /** Whether the API format differs from the default of the model. */
  get isFormatChanged(): boolean {
    return this.format !== this.#services.formats.getDefault(this.model);
  }

  /** The models chosen for side-by-side replies; empty if the next question is sent to one model. */
  get compared(): readonly string[] {
    return this.#compared;
  }

  /** Creates the settings for a request to a model, in the API format of that model. */
  createSettings(model: string): ReplySettings {
    const format = this.#services.formats.of(this.gateway.connection?.gateway, model);
    const parameters =
      model === this.model ? this.parameters.getForModel(model) : this.#readDefaultParameters(model);
    const { systemPrompt } = parameters;
    return { model, format, systemPrompt, parameters: buildRequestFields(parameters, format, model) };
  }

  /** The stored properties of the chat, without its messages. */
  get facts(): ChatFacts {
    const { model, format } = this;
    const gateway = this.gateway.boundGateway ?? this.gateway.connection?.gateway;
    const parameters = this.parameters.own;
    const workspace = readWorkspaceUri();
    return {
      ...(workspace !== undefined && { workspace }),
      ...(gateway && { gateway: buildGatewayKey(gateway), gatewayName: gateway.name }),
      ...(model !== undefined && { model, format }),
      ...(parameters && { parameters: { ...parameters } }),
    };
  }

  /** The choices that a new chat copies from this chat. The gateway is not copied. */
  get copiedChoices(): Omit<TargetChoices, 'gateway'> {
    return { model: this.#model, parameters: this.parameters.own };
  }

  chooseModel(model: string): void {
    this.#model = model;
    this.#setCompared([]);
    this.#onDidChange.fire();
  }

  /** Chooses several models for side-by-side replies. An empty list resets the choice to one model. */
  compare(models: readonly string[]): void {
    this.#setCompared(models);
    this.#onDidChange.fire();
  }

  /** Chooses the API format of the model, also for later chats with the model. */
  async chooseFormat(format: TextFormatId): Promise<void> {
    if (this.model !== undefined) {
      await this.#services.formats.remember(this.gateway.connection?.gateway, this.model, format);
    }
    this.#onDidChange.fire();
  }

  /**
   * Binds the chat to another gateway. The next question sends the whole conversation there, so the user must have
   * confirmed the move.
   */
  moveTo(gateway: Gateway): void {
    this.gateway.moveTo(gateway);
    this.#onDidChange.fire();
  }

  /**
   * Binds the chat to the settings of its next question, so that choices in other chats do not change them.
   *
   * @param models the models of the question
   * @returns the settings for each model; undefined if the question cannot be sent
   */
  bindSettings(models: readonly string[]): readonly ReplySettings[] | undefined {
    if (models.length === 0 || !this.gateway.connection) return undefined;
    this.gateway.bind();
    this.#model = this.model;
    const [model] = models;
    // If there are several models, each model uses its own default parameters.
    if (models.length === 1 && model !== undefined && model === this.#model)
      this.parameters.adoptDefault(model);
    const settings = models.map((each) => this.createSettings(each));
    if (models.length > 1) this.#setCompared([]);
    this.#onDidChange.fire();
    return settings;
  }

  #setCompared(models: readonly string[]): void {
    if (models.length === 0 && this.#compared.length === 0) return;
    this.#compared = models;
    this.#onDidCompare.fire();
  }

  /** Reads the default parameters of another model, but with the system prompt of the chat if the chat has one. */
  #readDefaultParameters(model: string): ChatParameters {
    const storedDefault = this.parameters.store.getDefaultParameters(model) ?? noParameters;
    const systemPrompt = this.parameters.own?.systemPrompt || storedDefault.systemPrompt;
    return { ...storedDefault, systemPrompt };
  }

  dispose(): void {
    this.#subscription.dispose();
    this.parameters.dispose();
    this.#onDidCompare.dispose();
    this.#onDidChange.dispose();
  }
}

/** Returns the URI of this window's workspace file or first folder. */
function readWorkspaceUri(): string | undefined {
  const { workspaceFile, workspaceFolders } = vscode.workspace;
  return (workspaceFile ?? workspaceFolders?.[0]?.uri)?.toString();
}
