import type { Gateway } from '../connection/gateways.ts';

/** The chat model of the demo, which the local gateway includes. */
export const demoChatModel = 'demo/chat';

/** Whether a model belongs to the demo, which is free of charge and replies with fixed texts. */
export function isDemoModel(gateway: Gateway, model: string): boolean {
  return gateway.kind === 'local' && model.startsWith('demo/');
}
