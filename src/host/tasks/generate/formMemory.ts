import type * as vscode from 'vscode';
import { parameterValues } from '../../../protocol/pageMessage.ts';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import {
  defaultVideoRoute,
  findVideoRoute,
  type VideoRouteId,
  videoRoutes,
} from '../../../wire/apis/videoRoutes.ts';
import { memoryKey } from '../../connection/configuredGateway.ts';
import type { Gateway } from '../../connection/gateways.ts';
import type { ModelNotes } from '../../models/modelNotes.ts';

/** The route and values last used with a model. */
export interface RememberedForm {
  readonly route: VideoRouteId;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Remembers the form of each model, and the model used last. */
export class FormMemory {
  readonly #state: vscode.Memento;
  readonly #notes: ModelNotes;

  constructor(state: vscode.Memento, notes: ModelNotes) {
    this.#state = state;
    this.#notes = notes;
  }

  /** Returns the model used last if the gateway still lists it, else the first that makes videos. */
  suggest(gateway: Gateway, models: readonly Model[]): string | undefined {
    const last = this.#state.get<string>(`lastGenerateModel/${memoryKey(gateway)}`);
    return (models.find(({ id }) => id === last) ?? this.#notes.modelsFor('video', gateway, models)[0])?.id;
  }

  /** Returns the route used last with a model, else the one that suits the model's name. */
  route(gateway: Gateway, model: string): VideoRouteId {
    const last = findVideoRoute(this.#state.get<string>(`generateRoute/${memoryKey(gateway)}/${model}`));
    return last?.id ?? videoRoutes.find(({ models }) => models?.test(model))?.id ?? defaultVideoRoute;
  }

  /** What was remembered for the form, which tells itself what of it is wrong; undefined for what no form can hold. */
  values(gateway: Gateway, model: string, route: VideoRouteId): RememberedForm['values'] | undefined {
    const kept = parameterValues.safeParse(
      this.#state.get(`generate/${memoryKey(gateway)}/${model}/${route}`),
    );
    return kept.success ? kept.data : undefined;
  }

  async remember(gateway: Gateway, model: string, { route, values }: RememberedForm): Promise<void> {
    await this.#notes.memory.used(gateway, model);
    await this.#state.update(`lastGenerateModel/${memoryKey(gateway)}`, model);
    await this.#state.update(`generateRoute/${memoryKey(gateway)}/${model}`, route);
    await this.#state.update(`generate/${memoryKey(gateway)}/${model}/${route}`, values);
  }
}
