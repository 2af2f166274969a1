import { identityOf } from '../../../connection/configuredGateway.ts';
import type { Gateway } from '../../../connection/gateways.ts';

/** Stays the same when the gateway is renamed, or has another address: VS Code keeps the user's choice by it. */
export function offeredId(gateway: Gateway, model: string): string {
  const place = gateway.kind === 'local' ? '@local' : encodeURIComponent(identityOf(gateway));
  return `${place}/${model}`;
}
