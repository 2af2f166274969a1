import type { GatewayConnection } from '../connection/gatewayConnection.ts';
import { gatewayKey } from '../connection/gateways.ts';

/** Whether a model list was read and does not contain this model. */
export function lacksModel({ state }: GatewayConnection, model: string): boolean {
  const { models, modelsBeyond } = state;
  return models.length > 0 && modelsBeyond === 0 && models.every(({ id }) => id !== model);
}

/** Remembers which models the user was warned of, because their gateway does not list them. */
export class UnlistedModels {
  readonly #told = new Set<string>();

  /**
   * Whether to warn of a model, before anything is sent. True once for each model. Reads a list of an earlier
   * session again first. Without a list there is no warning.
   */
  async isNews(connection: GatewayConnection, model: string): Promise<boolean> {
    if (!lacksModel(connection, model)) return false;
    if (connection.state.phase === 'unasked') await connection.refresh();
    if (connection.state.phase !== 'ready' || !lacksModel(connection, model)) return false;
    const name = `${gatewayKey(connection.gateway)} ${model}`;
    if (this.#told.has(name)) return false;
    this.#told.add(name);
    return true;
  }
}
