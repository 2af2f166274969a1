import type { GatewayClient } from '../../client/gatewayClient.ts';
import type { TokenPrices } from '../../wire/apis/models/modelInfo.ts';
import { GatewayError } from '../../wire/failures/gatewayError.ts';
import { isBrokenReply } from './outage.ts';

/** The statuses of temporary failures: the gateway, or a server behind it, is busy or cannot be reached. */
const temporaryStatuses: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);

/**
 * The prices of a gateway's models, if the gateway lists them separately. After a permanent refusal, the request is not
 * sent again.
 */
export class PriceList {
  #isAbsent = false;

  /**
   * Reads the prices. Never rejects, because the gateway also works without prices.
   *
   * @returns an empty map if the gateway does not report prices; undefined if the request failed temporarily
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

/** Whether the gateway refused the request permanently. */
function isDenied(error: unknown): boolean {
  if (!GatewayError.is(error) || error.status === undefined || temporaryStatuses.has(error.status))
    return false;
  return error.kind !== 'cancelled' && error.reason !== 'total-timeout' && !isBrokenReply(error);
}
