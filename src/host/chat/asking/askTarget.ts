import * as vscode from 'vscode';
import {
  type ChatParameters,
  noParameters,
  requestFields,
} from '../../../conversations/conversation/chatParameters.ts';
import type { Asking } from '../../../conversations/conversation/turn.ts';
import type { ChatFacts } from '../../../conversations/kept/keeperOptions.ts';
import type { TextFormatId } from '../../../wire/apis/textFormats.ts';
import type { Connection } from '../../connection/connection.ts';
import { type Gateway, gatewayKey } from '../../connection/gateways.ts';
import type { FormatChoice } from '../../models/formatChoice.ts';
import type { ModelNotes } from '../../models/modelNotes.ts';
import { ChosenParameters } from '../parameters/chosenParameters.ts';
import type { KeptParameters } from '../parameters/keptParameters.ts';
import { ChatGateway } from './chatGateway.ts';

/** What the targets of all chats use. */
export interface TargetServices {
  readonly connection: Connection;
  readonly models: ModelNotes;
  readonly formats: FormatChoice;
  readonly kept: KeptParameters;
}

/** What was chosen for a chat. What is absent is the default of new chats. */
export interface ChosenTarget {
  readonly gateway?: Gateway | undefined;
  readonly model?: string | undefined;
  readonly parameters?: ChatParameters | undefined;
  /** The models that are chosen to be asked at once. */
  readonly compared?: readonly string[] | undefined;
}

/** Whom a chat asks next, and with what: its gateway, model, API format and parameters. */
export class AskTarget {
  readonly gateway: ChatGateway;
  readonly parameters: ChosenParameters;
  readonly #services: TargetServices;
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly #subscription: vscode.Disposable;
  /** Parameters tell of their changes themselves. */
  readonly onDidChange = this.#onDidChange.event;
  readonly #onDidCompare = new vscode.EventEmitter<void>();
  /** Other models are `compared`. */
  readonly onDidCompare = this.#onDidCompare.event;
  #model: string | undefined;
  #compared: readonly string[] = [];

  constructor(services: TargetServices, chosen: ChosenTarget) {
    const { connection, kept } = services;
    this.#services = services;
    this.gateway = new ChatGateway(connection);
    if (chosen.gateway) this.gateway.moveTo(chosen.gateway);
    this.#model = chosen.model;
    this.#compared = chosen.compared ?? [];
    this.parameters = new ChosenParameters(kept, chosen.parameters);
    this.#subscription = connection.onDidChangeGateways(() => this.#onDidChange.fire());
  }

  /** The chosen model, else the one that new chats ask; undefined when there is none. */
  get model(): string | undefined {
    const { gateway, models = [] } = this.gateway.now?.state ?? {};
    return this.#model ?? this.#services.models.suggestForChat(gateway, models);
  }

  get format(): TextFormatId {
    return this.#services.formats.of(this.gateway.now?.gateway, this.model);
  }

  /** Whether the API format differs from the default of the model. */
  get isFormatChanged(): boolean {
    return this.format !== this.#services.formats.defaultOf(this.model);
  }

  /** The models that are chosen to be asked at once; none where one is asked. */
  get compared(): readonly string[] {
    return this.#compared;
  }

  /** What a model is asked with now, in its own API format. */
  asking(model: string): Asking {
    const format = this.#services.formats.of(this.gateway.now?.gateway, model);
    const parameters = model === this.model ? this.parameters.for(model) : this.#ownParametersOf(model);
    const { systemPrompt } = parameters;
    return { model, format, systemPrompt, parameters: requestFields(parameters, format, model) };
  }

  /** What is kept of the chat beside its messages. */
  get facts(): ChatFacts {
    const { model, format } = this;
    const gateway = this.gateway.begunWith ?? this.gateway.now?.gateway;
    const parameters = this.parameters.chosen;
    const workspace = workspaceUri();
    return {
      ...(workspace !== undefined && { workspace }),
      ...(gateway && { gateway: gatewayKey(gateway), gatewayName: gateway.name }),
      ...(model !== undefined && { model, format }),
      ...(parameters && { parameters: { ...parameters } }),
    };
  }

  /** What another chat begins with to ask as this one does, at whichever gateway. */
  get chosen(): Omit<ChosenTarget, 'gateway'> {
    return { model: this.#model, parameters: this.parameters.chosen };
  }

  chooseModel(model: string): void {
    this.#model = model;
    this.#becomeCompared([]);
    this.#onDidChange.fire();
  }

  /** Chooses several models to be asked at once; none for the one model again. */
  compare(models: readonly string[]): void {
    this.#becomeCompared(models);
    this.#onDidChange.fire();
  }

  async chooseFormat(format: TextFormatId): Promise<void> {
    if (this.model !== undefined) {
      await this.#services.formats.remember(this.gateway.now?.gateway, this.model, format);
    }
    this.#onDidChange.fire();
  }

  /**
   * Binds the chat to another gateway. The next question sends the whole conversation there, so the caller
   * asks the user first.
   */
  moveTo(gateway: Gateway): void {
    this.gateway.moveTo(gateway);
    this.#onDidChange.fire();
  }

  /**
   * Binds the chat to what its next question is asked with, whatever other chats choose from then on.
   *
   * @param models those that are asked
   * @returns what each is asked with; undefined when nothing can be asked
   */
  begin(models: readonly string[]): readonly Asking[] | undefined {
    if (models.length === 0 || !this.gateway.now) return undefined;
    this.gateway.begin();
    this.#model = this.model;
    const [model] = models;
    // Several have parameters of their own.
    if (models.length === 1 && model !== undefined && model === this.#model) this.parameters.keep(model);
    const how = models.map((each) => this.asking(each));
    if (models.length > 1) this.#becomeCompared([]);
    this.#onDidChange.fire();
    return how;
  }

  #becomeCompared(models: readonly string[]): void {
    if (models.length === 0 && this.#compared.length === 0) return;
    this.#compared = models;
    this.#onDidCompare.fire();
  }

  /** Those that are kept for a model beside the chat's own, with the system prompt of the chat where it has one. */
  #ownParametersOf(model: string): ChatParameters {
    const kept = this.parameters.kept.defaultOf(model) ?? noParameters;
    const systemPrompt = this.parameters.chosen?.systemPrompt || kept.systemPrompt;
    return { ...kept, systemPrompt };
  }

  dispose(): void {
    this.#subscription.dispose();
    this.parameters.dispose();
    this.#onDidCompare.dispose();
    this.#onDidChange.dispose();
  }
}

/** The folder or workspace of this window. */
function workspaceUri(): string | undefined {
  const { workspaceFile, workspaceFolders } = vscode.workspace;
  return (workspaceFile ?? workspaceFolders?.[0]?.uri)?.toString();
}
