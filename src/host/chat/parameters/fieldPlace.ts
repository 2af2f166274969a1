import type { ApiFormat } from '../../../wire/apis/format/apiFormat.ts';
import type { FieldPath } from '../../../wire/apis/format/requestSettings.ts';

/** Where a user changes a field of a request: in the message box, or in the parameters form at this path. */
export type FieldPlace = 'message-box' | FieldPath;

/** The fields that hold the conversation. */
const conversation = new Set(['messages', 'contents', 'input', 'prompt']);
const systemPrompts = new Set(['system', 'instructions', 'systeminstruction']);

/**
 * Finds the place of a field that a gateway named, in whichever spelling: `generation_config.temperature` is the
 * common parameter of that format.
 *
 * @param field its path with dots
 */
export function placeOfField({ common }: Pick<ApiFormat, 'common'>, field: string): FieldPlace {
  const path = field.split('.');
  const root = folded(path[0] ?? '');
  if (conversation.has(root)) return 'message-box';
  if (systemPrompts.has(root)) return ['common', 'systemPrompt'];
  const [name] = Object.entries(common).find(([, { paths }]) => paths.some((each) => isAt(path, each))) ?? [];
  return name === undefined ? path : ['common', name];
}

/** Whether one of two paths leads to the other, or to a part of it; some gateways name the last of them alone. */
function isAt(told: FieldPath, own: FieldPath): boolean {
  if (told.length === 1 && folded(told[0] ?? '') === folded(own.at(-1) ?? '')) return true;
  return own.every((name, at) => folded(told[at] ?? '') === folded(name));
}

function folded(name: string): string {
  return name.toLowerCase().replaceAll('_', '');
}
