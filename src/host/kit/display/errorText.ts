import { errorMessage } from '../../../base/errors.ts';
import { StorageError } from '../../../storage/sqlite/storageError.ts';
import { storageErrorText } from './storageNotice.ts';

/** What was thrown, in words for the user: why a file cannot be used, or its own message. */
export function errorText(thrown: unknown): string {
  return thrown instanceof StorageError ? storageErrorText(thrown) : errorMessage(thrown);
}
