import type { z } from 'zod';
import { invalidRequest } from './httpError.ts';
import { schemaProblems } from './schemaProblem.ts';

/**
 * Reads a JSON body by its schema.
 *
 * @throws {HttpError} 400 that names the field, what is expected and what came
 */
export function readBody<S extends z.ZodType>(body: Uint8Array | undefined, schema: S): z.infer<S> {
  const value = parse(body);
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [first] = schemaProblems(result.error, value);
  const { path, problem } = first ?? { path: '', problem: 'it does not fit' };
  throw invalidRequest(`${path === '' ? 'The body' : path}: ${problem}.`, 'invalid_value', path || undefined);
}

function parse(body: Uint8Array | undefined): unknown {
  if (!body || body.length === 0)
    throw invalidRequest('The body is empty. Send a JSON object.', 'invalid_json');
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw invalidRequest(
      'The body is not JSON in UTF-8. Check quotes, commas and the encoding.',
      'invalid_json',
    );
  }
}
