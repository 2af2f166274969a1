import type { JsonObject } from '../../base/json.ts';
import { findMisspelledName } from '../../wire/apis/requestedUsage.ts';
import { invalidRequestError } from '../http/httpError.ts';
import type { RequestBody } from '../http/requestBody.ts';

/**
 * Reads the members of a request that limits count. The upstream must read the same values.
 *
 * @throws {HttpError} 400 if it may read others
 */
export function readCountedMembers(body: RequestBody, isVideo: boolean): JsonObject {
  const members = body.readUniqueMembers();
  const name = findMisspelledName(members, isVideo);
  if (name === undefined) return members;
  const problem = 'some upstreams read this name and others ignore it; check its upper and lower case';
  throw invalidRequestError(`${name.slice(0, 100)}: ${problem}.`, 'ambiguous_field', name.slice(0, 100));
}
