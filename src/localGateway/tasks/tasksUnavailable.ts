import type { StorageError, StorageErrorKind } from '../../storage/database.ts';
import { HttpError } from '../httpError.ts';

/** The error for requests about tasks while their file cannot be used. */
export function tasksUnavailable(error: StorageError, log: (line: string) => void): HttpError {
  log(`tasks cannot be kept (${error.kind}): ${error.message}`);
  return new HttpError({
    status: 503,
    message: `The local gateway cannot keep tasks now: ${storageCauses[error.kind]}. Its log says more.`,
    type: 'server_error',
    code: 'tasks_unavailable',
    ...(error.kind === 'busy' && { headers: { 'Retry-After': '1' } }),
  });
}

/** Why the file cannot be used, as the end of a sentence. */
export const storageCauses: Record<StorageErrorKind, string> = {
  full: 'the disk is full',
  'read-only': 'their file cannot be written; start the gateway with another one (--tasks FILE)',
  busy: 'another program holds their file; try again',
  damaged: 'their file is damaged beyond repair or was taken away; start the gateway again',
  io: 'the disk reports an error',
  other: 'their file cannot be used',
};
