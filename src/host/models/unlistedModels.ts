import type { GatewayConnection } from '../connection/gatewayConnection.ts';
import { buildGatewayKey } from '../connection/gateways.ts';

/** Whether the complete model list is known and does not contain this model. */
export function lacksModel({ state }: GatewayConnection, model: string): boolean {
  const { models, omittedModelCount } = state;
  return models.length > 0 && omittedModelCount === 0 && models.every(({ id }) => id !== model);
}

/** Decides when to warn the user of a model that its gateway does not list. */
export class UnlistedModels {
  readonly #warned = new Set<string>();

  /**
   * Whether to warn of a model before the first request to it. True only once for each model, and never without a model
   * list. A list from an earlier session is read again first.
   */
  async shouldWarn(connection: GatewayConnection, model: string): Promise<boolean> {
    if (!lacksModel(connection, model)) return false;
    if (connection.state.phase === 'idle') await connection.refresh();
    if (connection.state.phase !== 'ready' || !lacksModel(connection, model)) return false;
    const key = `${buildGatewayKey(connection.gateway)} ${model}`;
    if (this.#warned.has(key)) return false;
    this.#warned.add(key);
    return true;
  }
}
