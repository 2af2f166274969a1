import { scanObject } from '../json/jsonFields.ts';

/** The deepest body that is converted. JSON.stringify runs out of stack on much deeper ones. */
export const maxDepth = 500;

/** Whether JSON text, such as the arguments of a call, is nested too deeply to become part of a body. */
export function isTooDeep(json: string): boolean {
  return (scanObject(Buffer.from(json), [])?.depth ?? 0) > maxDepth;
}
