/** A reply holds something that the caller's API format has no place for. */
export class UnconvertibleReply extends Error {
  override readonly name = 'UnconvertibleReply';
}
