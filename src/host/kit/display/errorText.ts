import { errorMessage } from '../../../base/errors.ts';
import { StorageError } from '../../../storage/sqlite/storageError.ts';
import { storageErrorText } from './storageNotice.ts';

/** An error as text for the user: the reason of a storage error, otherwise its own message. */
export function errorText(thrown: unknown): string {
  return thrown instanceof StorageError ? storageErrorText(thrown) : errorMessage(thrown);
}
