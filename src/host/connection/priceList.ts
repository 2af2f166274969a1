import type { GatewayClient } from '../../client/gatewayClient.ts';
import type { TokenPrices } from '../../wire/apis/models/modelInfo.ts';
import { GatewayError } from '../../wire/failures/gatewayError.ts';
import { isBrokenReply } from './outage.ts';

/** Statuses of temporary failures: the gateway, or a server behind it, is busy or unreachable. */
const temporaryStatuses: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);

/**
 * The prices of a gateway's models, if it lists them separately. The request is not sent again after a gateway
 * refused it.
 */
export class PriceList {
  #isAbsent = false;

  /**
   * Reads the prices. Never rejects, because unreadable prices are not a failure of the gateway.
   *
   * @returns an empty map if the gateway does not report prices; undefined if that is unknown
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

/** Whether the gateway replied with a permanent refusal. */
function isDenied(error: unknown): boolean {
  if (!GatewayError.is(error) || error.status === undefined || temporaryStatuses.has(error.status))
    return false;
  return error.kind !== 'cancelled' && error.reason !== 'total-timeout' && !isBrokenReply(error);
}
