import type { RequestKind } from '../../storage/worker/requestWorker.ts';

/** The names and indices that lead to a value in JSON. */
export type JsonPath = readonly (string | number)[];

/** A mismatch between a reply and its schema, at one path. */
export interface Fault {
  readonly path: JsonPath;
  /** The violated JSON Schema keyword, such as `type`; `missing` for a missing value. */
  readonly keyword: string;
  /** The value of the keyword in the schema. */
  readonly expected: unknown;
}

export type ReplyCheck =
  /** `isFenced`: the JSON is in a code block, as some models write it. */
  | { readonly kind: 'matches'; readonly isFenced: boolean }
  /** `count`: the number of faults; only the first ones are reported. */
  | { readonly kind: 'differs'; readonly faults: readonly Fault[]; readonly count: number }
  | { readonly kind: 'not-json'; readonly detail: string }
  /** The schema itself is invalid. */
  | { readonly kind: 'bad-schema'; readonly detail: string }
  /** `length`: of the reply, in UTF-16 units. */
  | { readonly kind: 'too-long'; readonly length: number }
  /** The check took too long, or too much memory. */
  | { readonly kind: 'too-much' };

/** The problem of a schema's text. Lines count from 1. */
export type SchemaProblem =
  | { readonly kind: 'not-json'; readonly detail: string }
  | { readonly kind: 'not-an-object' | 'too-deep' | 'too-many' | 'too-much' }
  | {
      readonly kind: 'type' | 'pattern' | 'reference' | 'circle' | 'not-a-schema';
      /** The invalid text in the schema. */
      readonly value: string;
      readonly line: number;
    };

/** The requests of the thread that checks replies. */
export interface CheckRequests {
  /** Resolves once the thread runs. */
  readonly begin: RequestKind<undefined, undefined>;
  readonly check: RequestKind<{ readonly text: string; readonly schema: object }, ReplyCheck>;
  /** Checks the text of a schema; undefined if it is valid. */
  readonly readSchema: RequestKind<string, SchemaProblem | undefined>;
  /** Finds the range of the value at a path in a reply, as offsets in UTF-16 units. */
  readonly locate: RequestKind<
    { readonly text: string; readonly path: JsonPath },
    { readonly start: number; readonly end: number } | undefined
  >;
}
