/** The local gateway does not run, and starts only once the user says so. The message says why. */
export class NotStartedError extends Error {
  override readonly name = 'NotStartedError';
}
