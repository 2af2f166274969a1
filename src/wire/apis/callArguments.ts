import { parseExactJson, parseJson } from '../../base/json.ts';

/**
 * Parses a payload of a format whose arguments of calls are JSON values. Those may hold large integer ids, which
 * become text.
 *
 * @returns the value of the JSON text; undefined when it is none
 */
export function parseCalls(json: string): unknown {
  return json.includes('"function') || json.includes('"tool_use"') ? parseExactJson(json) : parseJson(json);
}
