import { isObject } from '../../../base/json.ts';

/** What a list may hold at one place of a model; more is not read. */
const maxWords = 64;
const maxWordLength = 64;

/**
 * The words that a value holds, in one spelling: `generateContent`, `GENERATE_CONTENT` and `generate content` are
 * `generate-content`. A list holds its strings; an object holds the keys that are true or `{supported: true}`.
 */
export function wordsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [folded(value)];
  if (Array.isArray(value)) {
    const strings = value.slice(0, maxWords).filter((each) => typeof each === 'string');
    return strings.map(folded);
  }
  if (!isObject(value)) return [];
  const keys = Object.keys(value).slice(0, maxWords);
  return keys.filter((key) => isTrue(value[key])).map(folded);
}

/** The keys of an object that say false, as words. */
export function deniedWords(value: unknown): readonly string[] {
  if (!isObject(value)) return [];
  const keys = Object.keys(value).slice(0, maxWords);
  return keys.filter((key) => isFalse(value[key])).map(folded);
}

function isTrue(value: unknown): boolean {
  return value === true || (isObject(value) && value.supported === true);
}

function isFalse(value: unknown): boolean {
  return value === false || (isObject(value) && value.supported === false);
}

function folded(word: string): string {
  return word
    .slice(0, maxWordLength)
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[\s_/.-]+/g, '-')
    .replace(/^-?(?:v\d+-)?|-$/g, '');
}
