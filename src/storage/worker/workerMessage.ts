import { errorMessage } from '../../base/errors.ts';
import { StorageError, type StorageErrorKind } from '../sqlite/storageError.ts';

/** A message to the worker. */
export type ToWorker =
  | { readonly type: 'request'; readonly id: number; readonly kind: string; readonly argument: unknown }
  | { readonly type: 'cancel'; readonly id: number };

/** A message from the worker. */
export type FromWorker =
  | { readonly type: 'progress'; readonly id: number; readonly progress: unknown }
  | { readonly type: 'result'; readonly id: number; readonly result: unknown }
  | { readonly type: 'failure'; readonly id: number; readonly failure: Failure };

/** An error of a handler. A structured clone of an error would lose its kind. */
interface Failure {
  readonly message: string;
  readonly trace?: string;
  /** The kind of a `StorageError`. */
  readonly storage?: StorageErrorKind;
}

export function failureOf(thrown: unknown): Failure {
  if (!(thrown instanceof Error)) return { message: errorMessage(thrown) };
  const { message, stack } = thrown;
  return {
    message,
    ...(stack !== undefined && { trace: stack }),
    ...(thrown instanceof StorageError && { storage: thrown.kind }),
  };
}

/** Recreates the error that was thrown in the worker. */
export function errorOf({ message, trace, storage }: Failure): Error {
  const error = storage === undefined ? new Error(message) : new StorageError(storage, message);
  if (trace !== undefined) error.stack = trace;
  return error;
}
