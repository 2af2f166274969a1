import { type JsonSchema, listNonNullAlternatives, listOptions } from '../../base/jsonSchema.ts';
import { type Limit, maxColumns, maxLabels } from '../markdown/syntax/markdownLimits.ts';
import { formatNumber, t } from './l10n.ts';
import { formatBytes, formatCharacterCount } from './sizeWords.ts';

/** A problem that a page finds itself, with the values for its text. The host reports all others. */
export type PageProblem =
  /** A value does not match a schema. */
  | { readonly kind: 'unexpected'; readonly schema: JsonSchema }
  | { readonly kind: 'missing-member'; readonly name: string }
  | { readonly kind: 'name-has-field' }
  | { readonly kind: 'not-a-number' }
  | JsonProblem
  /** A problem in a text, at a line and column counted from 1. */
  | { readonly kind: 'at'; readonly line: number; readonly column: number; readonly problem: PageProblem }
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
      readonly maxStored: number;
    }
  /** Sizes are in bytes. */
  | { readonly kind: 'paste-too-big'; readonly bytes: number; readonly max: number }
  | { readonly kind: 'picture-not-shown'; readonly mimeType: string }
  | { readonly kind: 'media-not-shown'; readonly media: 'video' | 'image' | 'audio' }
  | { readonly kind: 'sound-not-decoded' }
  | { readonly kind: 'formatting-ends'; readonly limit: Limit };

/** Why a text is not JSON. */
export type JsonProblem =
  | { readonly kind: 'json-end' | 'json-name' | 'json-colon' | 'json-value' | 'json-escape' | 'json-number' }
  | { readonly kind: 'json-open-line' | 'json-open-text' }
  | { readonly kind: 'json-depth' | 'json-length'; readonly max: number }
  | { readonly kind: 'json-repeated-name'; readonly name: string }
  | { readonly kind: 'json-list'; readonly end: string };

/** Returns the text of a problem. Only this file contains these texts. */
export function describeProblem(problem: PageProblem): string {
  switch (problem.kind) {
    case 'unexpected':
      return t('expected {0}', describeExpectedValue(problem.schema));
    case 'missing-member':
      return t('{0} is missing', problem.name);
    case 'name-has-field':
      return t('the form already has a field with this name');
    case 'not-a-number':
      return t('This is not a number.');
    case 'at':
      return t('line {0}, column {1}: {2}', problem.line, problem.column, describeProblem(problem.problem));
    case 'message-too-long':
      return t(
        'This message is {0} characters long; at most {1} can be sent at once. Shorten it, or send it in parts.',
        formatNumber(problem.length),
        formatNumber(problem.max),
      );
    case 'draft-too-long':
      return t(
        'This message is {0} characters long; at most {1} can be sent at once. It is not saved until you shorten it to {2} or less.',
        formatNumber(problem.length),
        formatNumber(problem.max),
        formatNumber(problem.maxStored),
      );
    case 'request-too-long':
      return t(
        'This request is {0} characters long; at most {1} can be sent. Shorten it.',
        formatNumber(problem.length),
        formatNumber(problem.max),
      );
    case 'system-prompt-too-long':
      return t(
        'This system prompt is {0} characters long; at most {1} can be sent. It is not saved until you shorten it.',
        formatNumber(problem.length),
        formatNumber(problem.max),
      );
    case 'paste-too-big':
      return t(
        'The pasted text was not added: it has {0}, and at most {1} can be sent. Paste part of it.',
        formatBytes(problem.bytes),
        formatBytes(problem.max),
      );
    case 'picture-not-shown':
      return t('{0} cannot be shown', problem.mimeType);
    case 'media-not-shown':
      return mediaProblems[problem.media];
    case 'sound-not-decoded':
      return t('The audio cannot be decoded here.');
    case 'formatting-ends':
      return limitTexts[problem.limit];
    default:
      return describeJsonProblem(problem);
  }
}

function describeJsonProblem(problem: JsonProblem): string {
  switch (problem.kind) {
    case 'json-end':
      return t('unexpected text after the end');
    case 'json-name':
      return t('expected a name in double quotes');
    case 'json-colon':
      return t('expected a colon');
    case 'json-value':
      return t('expected a value');
    case 'json-escape':
      return t('this text has a stray \\');
    case 'json-number':
      return t('this number is too large; write it as text');
    case 'json-open-line':
      return t('expected " before the end of the line');
    case 'json-open-text':
      return t('expected " at the end');
    case 'json-depth':
      return t('nested more than {0} levels deep', problem.max);
    case 'json-length':
      return t('longer than {0} characters; shorten it', formatNumber(problem.max));
    case 'json-repeated-name':
      return t('the name {0} is used twice', problem.name);
    case 'json-list':
      return t('expected a comma or {0}', problem.end);
  }
}

const mediaProblems = {
  video: t('This video cannot be played here.'),
  image: t('This picture cannot be shown here.'),
  audio: t('This recording cannot be played here.'),
} as const;

/**
 * Why the page stops formatting. The texts do not contain a colon: text before a colon looks like the scheme of an
 * address, which `sanitize` removes.
 */
const limitTexts: Readonly<Record<Limit, string>> = {
  long: t('Too long to be formatted, so this is shown as it was written'),
  dense: t('Too many marks to be formatted, so this is shown as it was written'),
  deep: t('Nested too deeply to be formatted, so this is shown as it was written'),
  wide: t('A table with more than {0} columns, shown as it was written', maxColumns),
  labels: t(
    'Some links are shown as text, because the reply defines more than {0} labels',
    formatNumber(maxLabels),
  ),
  tokens: t('Too many parts to format them all, so the rest is shown as it was written'),
  colours: t('Code is not highlighted from here on, because there is too much of it'),
};

/** Describes the values that a schema allows, to follow "expected", such as "a whole number from 1 to 128". */
export function describeExpectedValue(schema: JsonSchema): string {
  const descriptions = listNonNullAlternatives(schema).map(describeAlternative);
  return joinAlternatives([...new Set(descriptions)]);
}

function describeAlternative(schema: JsonSchema): string {
  const options = listOptions(schema);
  if (options) return t('one of {0}', joinAlternatives(options.map(String)));
  switch (schema.type) {
    case 'integer':
      return addLimits(t('a whole number'), listRangeLimits(schema));
    case 'number':
      return addLimits(t('a number'), listRangeLimits(schema));
    case 'string':
      return addLimits(t('text'), listTextLimits(schema));
    case 'boolean':
      return t('true or false');
    case 'array':
      return schema.minItems ? t('a list of at least {0}', schema.minItems) : t('a list');
    case 'object':
      return t('an object');
    default:
      return t('any value');
  }
}

function listRangeLimits(schema: JsonSchema): readonly (string | undefined)[] {
  const least = skipHugeBound(schema.minimum);
  const most = skipHugeBound(schema.maximum);
  return [
    least !== undefined && most !== undefined ? t('from {0} to {1}', least, most) : undefined,
    least !== undefined && most === undefined ? t('of at least {0}', least) : undefined,
    least === undefined && most !== undefined ? t('of at most {0}', most) : undefined,
    schema.exclusiveMinimum === undefined ? undefined : t('above {0}', schema.exclusiveMinimum),
    schema.exclusiveMaximum === undefined ? undefined : t('below {0}', schema.exclusiveMaximum),
  ];
}

/** Appends the limits to a noun, one after the other. */
function addLimits(noun: string, limits: readonly (string | undefined)[]): string {
  return limits.reduce<string>(
    (text, limit) => (limit === undefined ? text : t('{0} {1}', text, limit)),
    noun,
  );
}

/**
 * Drops a bound at the limits of exact integers, which many schemas contain and which do not help a reader.
 */
function skipHugeBound(bound: number | undefined): number | undefined {
  return bound === undefined || Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? undefined : bound;
}

function listTextLimits({ minLength, maxLength, pattern }: JsonSchema): readonly (string | undefined)[] {
  return [
    minLength ? t('of at least {0}', formatCharacterCount(minLength)) : undefined,
    maxLength === undefined ? undefined : t('of at most {0}', formatCharacterCount(maxLength)),
    pattern === undefined ? undefined : t('matching {0}', pattern),
  ];
}

function joinAlternatives(alternatives: readonly string[]): string {
  return alternatives.length < 2
    ? alternatives.join('')
    : t('{0} or {1}', alternatives.slice(0, -1).join(t(', ')), alternatives.at(-1) ?? '');
}
