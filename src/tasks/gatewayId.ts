/**
 * The ledger's id of a gateway: its base URL in one spelling. Two tenants under one origin are two gateways.
 */
export function gatewayId(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  const path = pathname.replace(/%[\da-f]{2}/gi, (code) => code.toUpperCase()).replace(/(?<!\/)\/+$/, '');
  return origin + path;
}
