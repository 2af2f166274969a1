/** Marks any gateway at an origin. Tasks from before gateways had ids know only the origin. */
const originOnlySuffix = '/*';

/**
 * The ledger's id of a gateway: its base URL in one spelling. Two tenants under one origin are two gateways.
 */
export function gatewayId(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  const path = pathname.replace(/%[\da-f]{2}/gi, (code) => code.toUpperCase()).replace(/(?<!\/)\/+$/, '');
  return origin + path;
}

/** The id for any gateway at the origin of this one. */
export function originOnlyId(gateway: string): string {
  return URL.canParse(gateway) ? new URL(gateway).origin + originOnlySuffix : gateway;
}

/** Whether only the origin of a task's gateway is known. */
export function isOriginOnly(gateway: string): boolean {
  return gateway.endsWith(originOnlySuffix);
}
