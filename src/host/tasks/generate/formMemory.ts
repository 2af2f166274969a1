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
import type { ModelChoices } from '../../models/modelChoices.ts';

/** The route and values last used with a model. */
export interface RememberedForm {
  readonly route: VideoRouteId;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Remembers the form of each model, and the model used last. */
export class FormMemory {
  readonly #state: vscode.Memento;
  readonly #modelChoices: ModelChoices;

  constructor(state: vscode.Memento, modelChoices: ModelChoices) {
    this.#state = state;
    this.#modelChoices = modelChoices;
  }

  /** Returns the last used model if the gateway still lists it, or else the first video model. */
  suggest(gateway: Gateway, models: readonly Model[]): string | undefined {
    const last = this.#state.get<string>(`lastGenerateModel/${memoryKey(gateway)}`);
    return (models.find(({ id }) => id === last) ?? this.#modelChoices.modelsFor('video', gateway, models)[0])
      ?.id;
  }

  /** Returns the last used route of a model, or else the route that matches the model's name. */
  route(gateway: Gateway, model: string): VideoRouteId {
    const last = findVideoRoute(this.#state.get<string>(`generateRoute/${memoryKey(gateway)}/${model}`));
    return last?.id ?? videoRoutes.find(({ models }) => models?.test(model))?.id ?? defaultVideoRoute;
  }

  /** The stored values of the form; undefined if they are not valid parameter values. The form validates them. */
  values(gateway: Gateway, model: string, route: VideoRouteId): RememberedForm['values'] | undefined {
    const stored = parameterValues.safeParse(
      this.#state.get(`generate/${memoryKey(gateway)}/${model}/${route}`),
    );
    return stored.success ? stored.data : undefined;
  }

  async remember(gateway: Gateway, model: string, { route, values }: RememberedForm): Promise<void> {
    await this.#modelChoices.memory.noteUsed(gateway, model);
    await this.#state.update(`lastGenerateModel/${memoryKey(gateway)}`, model);
    await this.#state.update(`generateRoute/${memoryKey(gateway)}/${model}`, route);
    await this.#state.update(`generate/${memoryKey(gateway)}/${model}/${route}`, values);
  }
}
