/** Stands for any gateway at an origin: of tasks from before gateways had names of their own, no more is known. */
const ANY_THERE = '/*';

/**
 * The name under which the ledger knows a gateway: its base URL, written in one way only. Two tenants under one
 * origin are two gateways.
 */
export function gatewayId(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  const path = pathname.replace(/%[\da-f]{2}/gi, (code) => code.toUpperCase()).replace(/\/+$/, '');
  return origin + path;
}

/** The name of some gateway at the origin of this one. */
export function anyGatewayThere(gateway: string): string {
  return URL.canParse(gateway) ? new URL(gateway).origin + ANY_THERE : gateway;
}

/** Whether a task's gateway is any at its origin. */
export function isAnyThere(gateway: string): boolean {
  return gateway.endsWith(ANY_THERE);
}
