/** A file in a zip file or in a folder. Nothing is ever written where its name says. */
export interface MemberFile {
  /** Its path in there, with slashes. */
  readonly name: string;
  /** Its size unpacked, as is told; `read` ends in an error if that is not true of a zip file. */
  readonly size: number;
  /** @throws SourceError where it is damaged or cannot be read on */
  read(): AsyncIterable<Uint8Array>;
}
