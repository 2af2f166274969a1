import type * as vscode from 'vscode';
import type { TurnModel } from '../../../../conversations/verbatim/verbatimTurns.ts';
import { readIdentity } from '../../../connection/configuredGateway.ts';
import type { Gateway } from '../../../connection/gateways.ts';

/** The vendor id of our models in package.json and in other extensions. */
export const vendor = 'model-gateway';

/** A model as VS Code's own chat offers it. VS Code passes the same object back with each request. */
export interface OfferedModel extends vscode.LanguageModelChatInformation, TurnModel {}

/**
 * The id of an offered model. It does not depend on the gateway's current name or address, because VS Code stores the
 * user's choice under this id.
 */
export function offeredId(gateway: Gateway, model: string): string {
  const gatewayId = gateway.kind === 'local' ? '@local' : encodeURIComponent(readIdentity(gateway));
  return `${gatewayId}/${model}`;
}

/** Whether two lists offer the same models with the same texts. */
export function sameOffers(one: readonly OfferedModel[], other: readonly OfferedModel[]): boolean {
  if (one === other) return true;
  return one.length === other.length && one.every((model, i) => isEqual(model, other[i]));
}

function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!hasMembers(one) || !hasMembers(other)) return false;
  let remaining = Object.keys(other).length;
  for (const name in one) {
    if (!isEqual(one[name], other[name])) return false;
    remaining--;
  }
  return remaining === 0;
}

/** Whether a value is an object or an array. */
function hasMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
