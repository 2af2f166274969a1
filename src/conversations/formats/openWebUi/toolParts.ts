import type { PartRecord } from '../../record.ts';

type ToolCall = Extract<PartRecord, { type: 'toolCall' }>;

/** What Open WebUI runs code with has neither an id nor a name of its own. */
export const interpreter = { id: '', name: 'code_interpreter' } as const;

/** A call, and its result where there is one. */
export function withResult(call: ToolCall, text: string): readonly PartRecord[] {
  return text === '' ? [call] : [call, { type: 'toolResult', id: call.id, name: call.name, text }];
}
