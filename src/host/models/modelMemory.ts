import type * as vscode from 'vscode';
import type { Model } from '../../wire/apis/models/modelList.ts';
import type { Profile } from '../connection/profiles.ts';

/** Remembers which model was used last with each profile. */
export class ModelMemory {
  readonly #state: vscode.Memento;

  constructor(context: vscode.ExtensionContext) {
    this.#state = context.globalState;
  }

  async remember(profile: Profile | undefined, model: string): Promise<void> {
    if (profile) await this.#state.update(key(profile), model);
  }

  /** The model used last, when the gateway still lists it; else the first one. */
  suggest(profile: Profile | undefined, models: readonly Model[]): string | undefined {
    const last = profile && this.#state.get<string>(key(profile));
    return (models.find((model) => model.id === last) ?? models[0])?.id;
  }
}

function key(profile: Profile): string {
  return `lastModel/${profile.kind}/${profile.name}`;
}
