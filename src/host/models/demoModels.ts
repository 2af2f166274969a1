import type { Gateway } from '../connection/gateways.ts';

/** A model of the demo that the local gateway brings along. */
export const demoChatModel = 'demo/chat';

/** Whether a model is one of the demo's, which bills nothing and answers what it knows. */
export function isDemoModel(gateway: Gateway, model: string): boolean {
  return gateway.kind === 'local' && model.startsWith('demo/');
}
