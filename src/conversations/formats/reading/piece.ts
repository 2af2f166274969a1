/** A value of a file, or what is there instead of one. */
export type Piece =
  /** A whole value, as far as its brackets tell; its JSON may still be wrong. */
  | (Spot & { readonly type: 'value'; readonly bytes: Buffer })
  | (Spot & { readonly type: 'too-large' })
  /** The file ended within a value, of which `bytes` are the beginning, or where another one must follow. */
  | (Spot & { readonly type: 'cut'; readonly bytes: Buffer })
  /** Something that belongs to no value; nothing more is read. */
  | (Spot & { readonly type: 'stray' });

export interface Spot {
  /** Where it begins in the file. */
  readonly byte: number;
  /** From 1; only of files that are read by lines. */
  readonly line?: number;
}
