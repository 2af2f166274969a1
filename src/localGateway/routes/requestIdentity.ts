import { createHash } from 'node:crypto';
import type { TaskFormat } from '../../wire/apis/taskRecordFormats.ts';
import { isForm, readBoundary } from '../http/formBody.ts';
import { HttpError, invalidRequestError } from '../http/httpError.ts';
import type { GatewayRequest } from '../server/routeHandler.ts';
import type { RequestIdentity } from '../tasks/taskTable.ts';

/**
 * Creates the identity of a request for a task, which a repeated request shares.
 *
 * @param earlierId the ID of the earlier task, if the path names one
 * @throws {HttpError} 400 for an invalid Idempotency-Key
 */
export function createRequestIdentity(
  format: TaskFormat,
  { body, headers, access }: GatewayRequest,
  earlierId?: string,
): RequestIdentity {
  const fingerprint = createHash('sha256')
    .update(format)
    .update(earlierId === undefined ? '\0' : `\0${earlierId}\0`)
    .update(removeBoundary(body, headers['content-type']))
    .digest('base64url');
  const identity = { fingerprint, ...(access.name !== undefined && { owner: access.name }) };
  const key = headers['idempotency-key'];
  if (key === undefined) return identity;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    const problem = 'expected 1 to 255 printable ASCII characters without spaces';
    throw invalidRequestError(`Idempotency-Key: ${problem}.`, 'invalid_value', 'Idempotency-Key');
  }
  return { ...identity, idempotencyKey: key };
}

/** Removes the boundary of a form, because client libraries choose another one for a repeated request. */
function removeBoundary(body: Uint8Array, type: string | undefined): Uint8Array {
  if (!isForm(type)) return body;
  return Buffer.from(
    Buffer.from(body)
      .toString('latin1')
      .replaceAll(readBoundary(type ?? ''), ''),
    'latin1',
  );
}

export function reusedKeyError(): HttpError {
  return new HttpError({
    status: 422,
    message:
      'Idempotency-Key: this value was already used for another request. Use a new value for each request.',
    type: 'invalid_request_error',
    param: 'Idempotency-Key',
    code: 'idempotency_key_reused',
  });
}
