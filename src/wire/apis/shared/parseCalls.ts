import { parseExactJson, parseJson } from '../../../base/json.ts';

/**
 * Parses a payload of a format whose calls have JSON values as arguments. These may hold large integer ids, which
 * become text.
 *
 * @returns the value of the JSON text; undefined if it is not JSON
 */
export function parseCalls(json: string): unknown {
  return json.includes('"function') || json.includes('"tool_use"') ? parseExactJson(json) : parseJson(json);
}
