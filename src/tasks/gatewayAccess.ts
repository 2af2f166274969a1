import type { GatewayClient } from '../client/gatewayClient.ts';

/** Reaches the gateways of tasks by the ids of `gatewayId`, whatever gateway the window uses now. */
export interface GatewayAccess {
  /**
   * Returns the client for the tasks of a gateway, with the credential that was entered for it.
   *
   * @throws {GatewayError} when no configured gateway has this id any more
   */
  reach(id: string, name: string): Promise<GatewayClient>;
  /** The present address of a result. The local gateway has another address after each start. */
  locate(id: string, address: string): Promise<string>;
  /** The configured gateway with this id that has this name, or had it. */
  configured(id: string, name: string): { readonly name: string } | undefined;
  /** Discards all clients. New ones are made when needed. */
  forgetAll(): void;
}

/**
 * The ledger's id of a gateway: its base URL in one spelling. Two tenants under one origin are two gateways.
 */
export function gatewayId(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  const path = pathname.replace(/%[\da-f]{2}/gi, (code) => code.toUpperCase()).replace(/(?<!\/)\/+$/, '');
  return origin + path;
}
