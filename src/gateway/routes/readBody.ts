import type { z } from 'zod';
import { HttpError } from '../httpError.ts';
import { schemaProblems } from '../schemaProblem.ts';

/** Reads a JSON body by its schema. Throws a 400 that names the field, what is expected and what came. */
export function readBody<S extends z.ZodType>(body: Buffer | undefined, schema: S): z.infer<S> {
  const value = parse(body);
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [first] = schemaProblems(result.error, value);
  const { path, problem } = first ?? { path: '', problem: 'it does not fit' };
  throw invalidBody(`${path === '' ? 'The body' : path}: ${problem}.`, 'invalid_value', path);
}

function parse(body: Buffer | undefined): unknown {
  if (!body || body.length === 0) throw invalidBody('The body is empty. Send a JSON object.', 'invalid_json');
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw invalidBody(
      'The body is not JSON in UTF-8. Check quotes, commas and the encoding.',
      'invalid_json',
    );
  }
}

export function invalidBody(message: string, code: string, param?: string): HttpError {
  return new HttpError({
    status: 400,
    message,
    type: 'invalid_request_error',
    code,
    ...(param && { param }),
  });
}
