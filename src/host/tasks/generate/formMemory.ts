import type * as vscode from 'vscode';
import { parameterValues } from '../../../protocol/pageMessage.ts';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import {
  defaultVideoRoute,
  findVideoRoute,
  type VideoRouteId,
  videoRoutes,
} from '../../../wire/apis/videoRoutes.ts';
import { buildMemoryKey } from '../../connection/configuredGateway.ts';
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
  suggestModel(gateway: Gateway, models: readonly Model[]): string | undefined {
    const last = this.#state.get<string>(`lastGenerateModel/${buildMemoryKey(gateway)}`);
    return (
      models.find(({ id }) => id === last) ?? this.#modelChoices.filterByUse('video', gateway, models)[0]
    )?.id;
  }

  /** Returns the last used route of a model, or else the route that matches the model's name. */
  readRoute(gateway: Gateway, model: string): VideoRouteId {
    const last = findVideoRoute(this.#state.get<string>(`generateRoute/${buildMemoryKey(gateway)}/${model}`));
    return last?.id ?? videoRoutes.find(({ models }) => models?.test(model))?.id ?? defaultVideoRoute;
  }

  /** Reads the stored values of the form; undefined if they are not parameter values. The form validates each value. */
  readValues(gateway: Gateway, model: string, route: VideoRouteId): RememberedForm['values'] | undefined {
    const stored = parameterValues.safeParse(
      this.#state.get(`generate/${buildMemoryKey(gateway)}/${model}/${route}`),
    );
    return stored.success ? stored.data : undefined;
  }

  /** Stores the form of a model, and the model as the last used one. */
  async remember(gateway: Gateway, model: string, { route, values }: RememberedForm): Promise<void> {
    await this.#modelChoices.memory.noteUsed(gateway, model);
    await this.#state.update(`lastGenerateModel/${buildMemoryKey(gateway)}`, model);
    await this.#state.update(`generateRoute/${buildMemoryKey(gateway)}/${model}`, route);
    await this.#state.update(`generate/${buildMemoryKey(gateway)}/${model}/${route}`, values);
  }
}
