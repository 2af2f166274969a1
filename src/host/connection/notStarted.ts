/** The local gateway does not run, and starts only with the user's consent. The message contains the reason. */
export class NotStartedError extends Error {
  override readonly name = 'NotStartedError';
}
