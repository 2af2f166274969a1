import * as vscode from 'vscode';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import type { TextFormatId } from '../../../wire/apis/textFormats.ts';
import { FormatChoice } from '../../chat/asking/formatChoice.ts';
import { memoryKey } from '../../connection/configuredGateway.ts';
import type { Connection } from '../../connection/connection.ts';
import { type Gateway, gatewayKey } from '../../connection/gateways.ts';
import type { ModelNotes } from '../../models/modelNotes.ts';
import { readFormatRules } from '../../settings.ts';
import type { OfferedModel } from '../offeredModel.ts';

interface OfferedModelsServices {
  readonly connection: Connection;
  readonly modelNotes: ModelNotes;
  readonly memory: vscode.Memento;
}

/** What a model reads and writes where nobody tells it, in tokens. */
const defaultInput = 128_000;
const defaultOutput = 8_192;

/** The models that VS Code's own chat offers. */
export class OfferedModels implements vscode.Disposable {
  readonly #services: OfferedModelsServices;
  readonly #formats: FormatChoice;
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly #subscriptions: readonly { dispose(): void }[];
  /** Fires when `list` would return something else. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(services: OfferedModelsServices) {
    this.#services = services;
    this.#formats = new FormatChoice(services.memory, readFormatRules);
    this.#subscriptions = [services.connection.onDidChange(() => this.#onDidChange.fire())];
  }

  /** @param _silent whether nothing may be asked of the user */
  async list(_silent: boolean, _token: vscode.CancellationToken): Promise<readonly OfferedModel[]> {
    const { connection, modelNotes } = this.#services;
    const { gateway, models } = connection.state;
    if (!gateway) return [];
    return modelNotes
      .modelsFor('chat', gateway, models)
      .map((model) => offered(model, gateway, this.#formats.of(gateway, model.id)));
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#onDidChange.dispose();
  }
}

function offered(model: Model, gateway: Gateway, format: TextFormatId): OfferedModel {
  const { id, name = id, owner, contextLength, maxOutput = defaultOutput, abilities } = model;
  const isUserSelectable = { isUserSelectable: true };
  return {
    id: `${memoryKey(gateway)}/${id}`,
    name,
    family: id,
    version: id,
    detail: owner,
    maxInputTokens: contextLength ?? defaultInput,
    maxOutputTokens: maxOutput,
    capabilities: { toolCalling: true, imageInput: abilities?.includes('vision') ?? false },
    ...isUserSelectable,
    gateway: gatewayKey(gateway),
    model: id,
    format,
  };
}
