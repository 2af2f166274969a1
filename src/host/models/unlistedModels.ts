import type { GatewayConnection } from '../connection/gatewayConnection.ts';
import { gatewayKey } from '../connection/gateways.ts';

/** Whether a model list was read and does not contain this model. */
export function lacksModel({ state }: GatewayConnection, model: string): boolean {
  const { models, omittedModelCount } = state;
  return models.length > 0 && omittedModelCount === 0 && models.every(({ id }) => id !== model);
}

/** Remembers which models the user was warned about because their gateway does not list them. */
export class UnlistedModels {
  readonly #warned = new Set<string>();

  /**
   * Whether to warn of a model, before anything is sent. True once for each model. If the list is from an earlier
   * session, it is read again first. Without a list there is no warning.
   */
  async shouldWarn(connection: GatewayConnection, model: string): Promise<boolean> {
    if (!lacksModel(connection, model)) return false;
    if (connection.state.phase === 'idle') await connection.refresh();
    if (connection.state.phase !== 'ready' || !lacksModel(connection, model)) return false;
    const key = `${gatewayKey(connection.gateway)} ${model}`;
    if (this.#warned.has(key)) return false;
    this.#warned.add(key);
    return true;
  }
}
