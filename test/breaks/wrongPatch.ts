/** A small wrong change of the product, which a test of a promise must notice. */
export interface WrongPatch {
  /** The code of the promise in test/faults.md. */
  readonly promise: string;
  /** The behaviour of the product with the patch. */
  readonly title: string;
  /** A source file, or package.json. */
  readonly file: string;
  /** A text that occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** The test files of which at least one test must fail. */
  readonly tests: readonly string[];
  /** A part of a title that selects the tests in these files. */
  readonly grep?: string;
}
