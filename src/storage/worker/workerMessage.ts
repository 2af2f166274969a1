import { errorMessage } from '../../base/errors.ts';
import { StorageError, type StorageErrorKind } from '../sqlite/storageError.ts';

/** To the worker. */
export type ToWorker =
  | { readonly type: 'ask'; readonly id: number; readonly kind: string; readonly asked: unknown }
  | { readonly type: 'cancel'; readonly id: number };

/** From the worker. */
export type FromWorker =
  | { readonly type: 'progress'; readonly id: number; readonly progress: unknown }
  | { readonly type: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly type: 'failure'; readonly id: number; readonly failure: Failure };

/** What a handler threw. A structured clone of an error would lose its kind. */
export interface Failure {
  readonly message: string;
  readonly trace?: string;
  /** Of a `StorageError`. */
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

/** An error like the one that was thrown in the worker. */
export function errorOf({ message, trace, storage }: Failure): Error {
  const error = storage === undefined ? new Error(message) : new StorageError(storage, message);
  if (trace !== undefined) error.stack = trace;
  return error;
}
