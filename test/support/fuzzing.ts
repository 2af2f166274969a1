import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { type Explanation, inEnglish } from '../../src/wire/explanations/explanation.ts';
import { sentences } from '../../src/wire/explanations/sentences.ts';
import { isFailureKind } from '../../src/wire/failures/gatewayError.ts';
import type { FailureDetails } from '../../src/wire/failures/replyFailure.ts';

/** Longer inputs are not divided into single bytes, which takes most of the time. */
const maxSingleBytes = 256;

/**
 * Divides the bytes into pieces in several ways: into single bytes, and at random positions. The same bytes are
 * always divided in the same way, so that a failure can be repeated.
 */
export function divideBytes(bytes: Buffer): readonly (readonly Buffer[])[] {
  const bytewise = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
  return [...(bytes.length <= maxSingleBytes ? [bytewise] : []), divideRandomly(bytes)];
}

/** Like `divideBytes`, for text. */
export function divideText(text: string): readonly (readonly string[])[] {
  const single = Array.from({ length: text.length }, (_, at) => text.charAt(at));
  return [...(text.length <= maxSingleBytes ? [single] : []), divideTextRandomly(text)];
}

function divideRandomly(bytes: Buffer): readonly Buffer[] {
  return createRandomEnds(bytes.length).map((end, nth, ends) => bytes.subarray(ends[nth - 1] ?? 0, end));
}

function divideTextRandomly(text: string): readonly string[] {
  return createRandomEnds(text.length).map((end, nth, ends) => text.slice(ends[nth - 1] ?? 0, end));
}

/** Creates the ends of pieces, which are mostly short. */
function createRandomEnds(length: number): readonly number[] {
  const ends: number[] = [];
  let seed = length + 1;
  for (let end = 0; end < length; ) {
    // Multiplier and modulus of Lehmer's generator.
    seed = (seed * 48_271) % 0x7fffffff;
    const isShort = seed % 4 !== 0;
    end = Math.min(length, end + 1 + ((seed >> 4) % (isShort ? 5 : 200)));
    ends.push(end);
  }
  return ends;
}

/** Compares as JSON text first, because most inputs have the same result, and the comparison dominates the time. */
export function assertSame(actual: unknown, expected: unknown, message: string): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) assert.deepEqual(actual, expected, message);
}

const prototypes: readonly object[] = [
  Object.prototype,
  Array.prototype,
  Function.prototype,
  String.prototype,
  Number.prototype,
  Map.prototype,
  Set.prototype,
  Error.prototype,
  Uint8Array.prototype,
];
const originalNames = prototypes.map((prototype) => Reflect.ownKeys(prototype).length);

/** Fails if a member was added to a prototype. */
export function assertPrototypesUnchanged(): void {
  for (const [nth, prototype] of prototypes.entries())
    assert.equal(Reflect.ownKeys(prototype).length, originalNames[nth], 'a prototype was changed');
}

/** Fails unless the explanation can be shown. */
export function assertExplained(explanation: Explanation): void {
  assert.ok(Object.hasOwn(sentences, explanation.id), explanation.id);
  const text = inEnglish(explanation);
  assert.ok(text !== '' && !/\bundefined\b|\[object /.test(text.slice(0, 40)), text);
}

/** Fails unless a failure has one of the documented kinds and can be shown. */
export function assertFailure({ kind, explanation, gatewayMessage, retryAfterMs }: FailureDetails): void {
  assert.ok(isFailureKind(kind), kind);
  assertExplained(explanation);
  assert.ok(gatewayMessage === undefined || typeof gatewayMessage === 'string');
  assert.ok(retryAfterMs === undefined || (Number.isFinite(retryAfterMs) && retryAfterMs >= 0));
}

/** Reads the files of a folder of test/fixtures with one of the extensions. */
export function readFixtures(folder: string, ...extensions: readonly string[]): readonly Buffer[] {
  const url = new URL(`../fixtures/${folder}/`, import.meta.url);
  return readdirSync(url)
    .filter((name) => extensions.some((extension) => name.endsWith(extension)))
    .sort()
    .map((name) => readFileSync(new URL(name, url)));
}

/** Reads the lines of a file of test/fixtures that are not blank. */
export function readFixtureLines(file: string): readonly string[] {
  const text = readFileSync(new URL(`../fixtures/${file}`, import.meta.url), 'utf8');
  return text.split('\n').filter((line) => line.trim() !== '');
}

/**
 * Reads the blocks of code in the pages of a folder of docs.
 *
 * @param language a pattern of the names of languages
 */
export function readDocumentedCode(folder: string, language: string): readonly string[] {
  const url = new URL(`../../docs/${folder}/`, import.meta.url);
  const pages = readdirSync(url).filter((name) => name.endsWith('.md'));
  const fence = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm');
  return pages.flatMap((name) =>
    [...readFileSync(new URL(name, url), 'utf8').matchAll(fence)].map(([, code = '']) => code),
  );
}
