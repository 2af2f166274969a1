/** Why something of the code cannot go along. The message is for the user, and names it. */
export class ContextError extends Error {
  override readonly name = 'ContextError';
}
