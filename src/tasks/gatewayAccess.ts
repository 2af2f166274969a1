import type { GatewayClient } from '../client/gatewayClient.ts';

/** The way to the gateways at which tasks live, by the ids of `gatewayId`, whatever the window is connected to now. */
export interface GatewayAccess {
  /**
   * The client with which a gateway's tasks are reached; the credential is the one entered for it.
   *
   * @throws {GatewayError} when nothing that is configured leads there any more
   */
  reach(id: string, name: string): Promise<GatewayClient>;
  /** Where a result lies now: the local gateway has another address each time it starts. */
  locate(id: string, address: string): Promise<string>;
  /** The id of a task's gateway of which only the origin is known, if the gateway that it names leads there. */
  idOf(id: string, name: string): string | undefined;
  /** The configured gateway with this id: the one of that name, else any that leads there. */
  configured(id: string, name: string): { readonly name: string } | undefined;
  /** Makes all clients anew when they are next needed. */
  forgetAll(): void;
}
