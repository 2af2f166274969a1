import { StorageError } from './storageError.ts';

/** Runs `act`, and once more after it found damage, which another thread repairs until `act` goes on. */
export async function onceRepaired<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof StorageError && error.kind === 'damaged')) throw error;
    return act();
  }
}
