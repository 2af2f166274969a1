import { type JsonSchema, nonNullAlternatives, optionsOf } from '../../base/jsonSchema.ts';
import { t } from './l10n.ts';
import { formatCharacterCount } from './sizeWords.ts';

/** Describes the values that a schema allows, to follow "expected", such as "a whole number from 1 to 128". */
export function describeExpectedValue(schema: JsonSchema): string {
  const descriptions = nonNullAlternatives(schema).map(describeAlternative);
  return joinAlternatives([...new Set(descriptions)]);
}

function describeAlternative(schema: JsonSchema): string {
  const options = optionsOf(schema);
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
