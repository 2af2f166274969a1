import type { JsonSchema } from '../form/jsonSchema.ts';
import { type Limit, maxColumns, maxLabels } from '../markdown/limits.ts';
import { expectation } from './expectations.ts';
import { byteWords } from './sizes.ts';

/** A problem that a page itself finds, with what its words need. The host reports all others. */
export type Problem =
  /** A value does not match a schema. */
  | { readonly kind: 'unexpected'; readonly schema: JsonSchema }
  | { readonly kind: 'missing-member'; readonly name: string }
  | { readonly kind: 'name-has-field' }
  | { readonly kind: 'not-a-number' }
  | JsonProblem
  /** A problem in a text, at a line and column counted from 1. */
  | { readonly kind: 'at'; readonly line: number; readonly column: number; readonly problem: Problem }
  /** Lengths are in UTF-16 units. */
  | {
      readonly kind: 'message-too-long' | 'request-too-long' | 'system-prompt-too-long';
      readonly length: number;
      readonly max: number;
    }
  | {
      readonly kind: 'draft-too-long';
      readonly length: number;
      readonly max: number;
      readonly maxKept: number;
    }
  /** Sizes are in bytes. */
  | { readonly kind: 'paste-too-big'; readonly bytes: number; readonly max: number }
  | { readonly kind: 'picture-not-shown'; readonly mimeType: string }
  | { readonly kind: 'media-not-shown'; readonly media: 'video' | 'image' | 'audio' }
  | { readonly kind: 'sound-not-decoded' }
  | { readonly kind: 'formatting-ends'; readonly limit: Limit };

/** Why a text is no JSON. */
export type JsonProblem =
  | { readonly kind: 'json-end' | 'json-name' | 'json-colon' | 'json-value' | 'json-escape' | 'json-number' }
  | { readonly kind: 'json-open-line' | 'json-open-text' }
  | { readonly kind: 'json-depth' | 'json-length'; readonly max: number }
  | { readonly kind: 'json-repeated-name'; readonly name: string }
  | { readonly kind: 'json-list'; readonly end: string };

/** Puts a problem into words. No other place in the pages does. */
export function problemWords(problem: Problem): string {
  switch (problem.kind) {
    case 'unexpected':
      return `expected ${expectation(problem.schema)}`;
    case 'missing-member':
      return `${problem.name} is missing`;
    case 'name-has-field':
      return 'a field of this name is in the form';
    case 'not-a-number':
      return 'This is not a number.';
    case 'at':
      return `line ${problem.line}, column ${problem.column}: ${problemWords(problem.problem)}`;
    case 'message-too-long':
      return `This message is ${millions(problem)} million characters long; at most 1.0 can be sent at once. Shorten it, or send it in parts.`;
    case 'draft-too-long':
      return `This message is ${millions(problem)} million characters long; at most 1.0 can be sent at once. It is not kept until it has at most ${millions({ ...problem, length: problem.maxKept })}.`;
    case 'request-too-long':
      return `This request is ${millions(problem)} million characters long; at most 1.0 can be sent. Shorten it.`;
    case 'system-prompt-too-long':
      return `This system prompt is ${millions(problem)} million characters long; at most 1.0 can be sent. It is not kept until it is shorter.`;
    case 'paste-too-big':
      return `What you pasted was left out: it makes ${byteWords(problem.bytes)}, and at most ${byteWords(problem.max)} can go along. Paste a part of it.`;
    case 'picture-not-shown':
      return `${problem.mimeType} cannot be shown`;
    case 'media-not-shown':
      return `This ${nouns[problem.media]} cannot be shown here.`;
    case 'sound-not-decoded':
      return 'Its sound cannot be decoded here.';
    case 'formatting-ends':
      return limitWords[problem.limit];
    default:
      return jsonWords(problem);
  }
}

function jsonWords(problem: JsonProblem): string {
  switch (problem.kind) {
    case 'json-end':
      return 'unexpected text after the end';
    case 'json-name':
      return 'expected a name in double quotes';
    case 'json-colon':
      return 'expected a colon';
    case 'json-value':
      return 'expected a value';
    case 'json-escape':
      return 'this text holds a stray \\';
    case 'json-number':
      return 'this number is too large to be sent as it is; write it as text';
    case 'json-open-line':
      return 'expected " before the line ends';
    case 'json-open-text':
      return 'expected " at the end';
    case 'json-depth':
      return `nested more than ${problem.max} deep`;
    case 'json-length':
      return `longer than ${problem.max.toLocaleString('en')} characters; shorten it`;
    case 'json-repeated-name':
      return `the name ${problem.name} is used twice`;
    case 'json-list':
      return `expected a comma or ${problem.end}`;
  }
}

const nouns = { video: 'video', image: 'picture', audio: 'recording' } as const;

/**
 * Why the page stops formatting. The words have no colon: text before one looks like the scheme of an
 * address, which `sanitize` removes.
 */
const limitWords: Readonly<Record<Limit, string>> = {
  long: 'Too long to be formatted, so this is shown as it was written',
  dense: 'Too many marks to be formatted, so this is shown as it was written',
  deep: 'Nested too deep to be formatted, so this is shown as it was written',
  wide: `A table of more than ${maxColumns} columns, shown as it was written`,
  labels: `Some links stay text, because the reply defines more than ${maxLabels.toLocaleString('en')} labels`,
  tokens: 'Too many parts to format them all, so the rest is shown as it was written',
  colours: 'Code is not highlighted from here on, because there is too much of it',
};

function millions({ length, max }: { readonly length: number; readonly max: number }): string {
  return (length / max).toFixed(1);
}
