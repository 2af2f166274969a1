import type { GatewayClient } from '../client/gatewayClient.ts';

/** Access to the gateways of tasks by the ids of `gatewayId`, even if the window now uses another gateway. */
export interface GatewayAccess {
  /**
   * Returns the client for the tasks of a gateway, with the credential that was entered for it.
   *
   * @throws {GatewayError} if no configured gateway has this id any more
   */
  clientFor(id: string, name: string): Promise<GatewayClient>;
  /** Returns the current address of a result. The local gateway may have another port after a start. */
  locate(id: string, address: string): Promise<string>;
  /** The configured gateway with this id, and with this current or earlier name. */
  configured(id: string, name: string): { readonly name: string } | undefined;
  /** Discards all clients. New ones are created on demand. */
  forgetAll(): void;
}

/**
 * Returns the ledger's id of a gateway: its normalized base URL. Two tenants under one origin are two gateways.
 */
export function gatewayId(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  const path = pathname.replace(/%[\da-f]{2}/gi, (code) => code.toUpperCase()).replace(/(?<!\/)\/+$/, '');
  return origin + path;
}
