import { alternativesBesideNull, type JsonSchema, optionsOf } from '../form/jsonSchema.ts';
import { counted } from './counted.ts';

/** Describes the values that a schema allows, to follow "expected", such as "a whole number from 1 to 128". */
export function expectation(schema: JsonSchema): string {
  const words = alternativesBesideNull(schema).map(expectationOfOne);
  return inWords([...new Set(words)]);
}

function expectationOfOne(schema: JsonSchema): string {
  const options = optionsOf(schema);
  if (options) return `one of ${inWords(options.map(String))}`;
  switch (schema.type) {
    case 'integer':
      return `a whole number${rangeInWords(schema)}`;
    case 'number':
      return `a number${rangeInWords(schema)}`;
    case 'string':
      return `text${textLimits(schema)}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return schema.minItems ? `a list of at least ${schema.minItems}` : 'a list';
    case 'object':
      return 'an object';
    default:
      return 'any value';
  }
}

function rangeInWords(schema: JsonSchema): string {
  const least = limit(schema.minimum);
  const most = limit(schema.maximum);
  const words = [
    least !== undefined && most !== undefined ? `from ${least} to ${most}` : undefined,
    least !== undefined && most === undefined ? `of at least ${least}` : undefined,
    least === undefined && most !== undefined ? `of at most ${most}` : undefined,
    schema.exclusiveMinimum === undefined ? undefined : `above ${schema.exclusiveMinimum}`,
    schema.exclusiveMaximum === undefined ? undefined : `below ${schema.exclusiveMaximum}`,
  ];
  return words.map((each) => (each === undefined ? '' : ` ${each}`)).join('');
}

/** Returns a bound that says something. Many schemas name the limits of exact numbers, which say nothing. */
function limit(bound: number | undefined): number | undefined {
  return bound === undefined || Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? undefined : bound;
}

function textLimits({ minLength, maxLength, pattern }: JsonSchema): string {
  const least = minLength ? ` of at least ${counted(minLength, 'character')}` : '';
  const most = maxLength === undefined ? '' : ` of at most ${counted(maxLength, 'character')}`;
  return least + most + (pattern === undefined ? '' : ` of the form ${pattern}`);
}

function inWords(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
