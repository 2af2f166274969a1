import type { GatewayClient } from '../../client/gatewayClient.ts';
import type { TokenPrices } from '../../wire/apis/models/modelInfo.ts';
import { GatewayError } from '../../wire/failure.ts';
import { isLost } from './outage.ts';

/** Answers that may be others the next time: the gateway, or what is behind it, is busy or away. */
const passing: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);

/**
 * What a gateway's models cost, where it tells that apart from their list. A gateway that answers that it does not is
 * not asked again.
 */
export class PricesApart {
  #isAbsent = false;

  /**
   * Never rejects: that prices cannot be read is no failure of the gateway.
   *
   * @returns none where the gateway tells none; undefined when that is not known
   */
  async read(client: GatewayClient, signal: AbortSignal): Promise<TokenPrices | undefined> {
    if (this.#isAbsent) return new Map();
    try {
      return await client.readTokenPrices({ signal });
    } catch (error) {
      this.#isAbsent = isDenied(error);
      return this.#isAbsent ? new Map() : undefined;
    }
  }
}

/** Whether the gateway answered, and what it says lasts. */
function isDenied(error: unknown): boolean {
  if (!GatewayError.is(error) || error.status === undefined || passing.has(error.status)) return false;
  return error.kind !== 'cancelled' && error.reason !== 'total-timeout' && !isLost(error);
}
