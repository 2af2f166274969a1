import { createHash } from 'node:crypto';
import { boundaryIn, isForm } from '../http/formBody.ts';
import { HttpError, invalidRequest } from '../http/httpError.ts';
import type { GatewayRequest } from '../server/handler.ts';
import type { RequestIdentity } from '../tasks/taskRows.ts';
import type { TaskFormat } from '../upstreams/upstream.ts';

/** What fingerprints that are on the disk already call a format that has another id now. */
const keptName: Readonly<Partial<Record<TaskFormat, string>>> = {
  videoSynthesis: 'video-synthesis',
};

/**
 * Who asks for a task, and by what a repeated request for it is known.
 *
 * @param about the task from which it is made, where the path names one
 * @throws {HttpError} 400 for an Idempotency-Key that is none
 */
export function requestIdentity(
  format: TaskFormat,
  { body, headers, access }: GatewayRequest,
  about?: string,
): RequestIdentity {
  const fingerprint = createHash('sha256')
    .update(keptName[format] ?? format)
    .update(about === undefined ? '\0' : `\0${about}\0`)
    .update(withoutBoundary(body, headers['content-type']))
    .digest('base64url');
  const identity = { fingerprint, ...(access.name !== undefined && { owner: access.name }) };
  const key = headers['idempotency-key'];
  if (key === undefined) return identity;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    const problem = 'expected 1 to 255 printable ASCII characters without spaces';
    throw invalidRequest(`Idempotency-Key: ${problem}.`, 'invalid_value', 'Idempotency-Key');
  }
  return { ...identity, idempotencyKey: key };
}

/** A form is the same when it is sent again with another boundary. */
function withoutBoundary(body: Uint8Array, type: string | undefined): Uint8Array {
  if (!isForm(type)) return body;
  return Buffer.from(
    Buffer.from(body)
      .toString('latin1')
      .replaceAll(boundaryIn(type ?? ''), ''),
    'latin1',
  );
}

export function reusedKey(): HttpError {
  return new HttpError({
    status: 422,
    message: 'Idempotency-Key: it was used for another request before. Make up a new one for each request.',
    type: 'invalid_request_error',
    param: 'Idempotency-Key',
    code: 'idempotency_key_reused',
  });
}
