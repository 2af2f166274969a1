/** Headers of a reply by lower-case name, as Node's clients return them. */
export type ReplyHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;
