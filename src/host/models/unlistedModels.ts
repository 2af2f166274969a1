import type { GatewayConnection } from '../connection/gatewayConnection.ts';
import { gatewayKey } from '../connection/profiles.ts';

/** Whether the gateway's list, as far as there is one, is without this model. */
export function lacksModel({ state }: GatewayConnection, model: string): boolean {
  const { models, modelsBeyond } = state;
  return models.length > 0 && modelsBeyond === 0 && models.every(({ id }) => id !== model);
}

/** The models that the user was told their gateway does not list: each is told once, before anything is sent. */
export class UnlistedModels {
  readonly #told = new Set<string>();

  /**
   * Whether the user has yet to hear of it; true once for each. A list of an earlier session is read anew first.
   * Where no list is to be had, nothing is held against a model.
   */
  async isNews(gateway: GatewayConnection, model: string): Promise<boolean> {
    if (!lacksModel(gateway, model)) return false;
    if (gateway.state.phase === 'unasked') await gateway.refresh();
    if (gateway.state.phase !== 'ready' || !lacksModel(gateway, model)) return false;
    const name = `${gatewayKey(gateway.profile)} ${model}`;
    if (this.#told.has(name)) return false;
    this.#told.add(name);
    return true;
  }
}
