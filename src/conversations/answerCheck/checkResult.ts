import type { RequestKind } from '../../storage/worker/requestKind.ts';

/** A value in JSON, by the names and positions that lead to it. */
export type JsonPath = readonly (string | number)[];

/** What an answer lacks to match its schema, at one place. */
export interface Fault {
  readonly path: JsonPath;
  /** The keyword of JSON Schema that the value breaks, such as `type`; `missing` for a value that is not there. */
  readonly keyword: string;
  /** What the schema says there. */
  readonly expected: unknown;
}

export type AnswerCheck =
  /** `isFenced`: the JSON stands in a block of code, as some models write it. */
  | { readonly kind: 'matches'; readonly isFenced: boolean }
  /** `count`: how many faults there are; the first ones are told. */
  | { readonly kind: 'differs'; readonly faults: readonly Fault[]; readonly count: number }
  | { readonly kind: 'no-json'; readonly detail: string }
  /** The schema itself cannot be used. */
  | { readonly kind: 'bad-schema'; readonly detail: string }
  | { readonly kind: 'too-long'; readonly length: number }
  /** It took too long, or too much memory. */
  | { readonly kind: 'too-much' };

/** What is wrong with the text of a schema. Lines count from 1. */
export type SchemaProblem =
  | { readonly kind: 'no-json'; readonly detail: string }
  | { readonly kind: 'no-object' | 'too-deep' | 'too-many' | 'too-much' }
  | {
      readonly kind: 'type' | 'pattern' | 'reference' | 'circle' | 'no-schema';
      readonly written: string;
      readonly line: number;
    };

/** What the thread that checks answers does. */
export interface CheckRequests {
  /** Resolves once the thread runs. */
  readonly begin: RequestKind<undefined, undefined>;
  readonly check: RequestKind<{ readonly text: string; readonly schema: object }, AnswerCheck>;
  /** Reads the text of a schema; undefined for one that can be used. */
  readonly readSchema: RequestKind<string, SchemaProblem | undefined>;
  /** Where the value at a path stands in an answer, as offsets in UTF-16 units. */
  readonly locate: RequestKind<
    { readonly text: string; readonly path: JsonPath },
    { readonly start: number; readonly end: number } | undefined
  >;
}
