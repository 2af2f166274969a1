import { type HttpError, invalidRequestError } from './httpError.ts';

/** The query of a request. A repeated field has several values. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/** @throws {HttpError} 400 if the value is present and is not a positive whole number */
export function readPositiveInteger(
  field: string,
  value: Query[string],
  expected: string,
): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && /^[1-9]\d{0,14}$/.test(value)) return Number(value);
  throw invalidFieldError(field, expected);
}

export function invalidFieldError(field: string, expected: string): HttpError {
  return invalidRequestError(`${field}: expected ${expected}.`, 'invalid_value', field);
}
