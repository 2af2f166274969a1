/** The reason why a context item cannot be sent. The message is for the user and names the item. */
export class ContextError extends Error {
  override readonly name = 'ContextError';
}
