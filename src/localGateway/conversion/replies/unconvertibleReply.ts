/** A reply ended without an answer, for a reason that the caller's API format has no word for. */
export class WordlessReply extends Error {
  override readonly name = 'WordlessReply';

  /** @param reason the upstream's own word */
  constructor(reason: string) {
    const word = /^[\w .:-]{1,60}$/.test(reason) ? `, for the reason ${reason}` : '';
    super(`The model ended its reply without a word${word}. Ask again, or ask another model.`);
  }
}

/** A reply holds something that the caller's API format has no place for. */
export class UnconvertibleReply extends Error {
  override readonly name = 'UnconvertibleReply';
}
