// Counts habits that make comments hard to read, per 10,000 words. The lint part fails above the limits.
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { root } from './root.mjs';

/** `most` is the limit per 10,000 words. */
const habits = [
  {
    pattern: /\bwhat (?:is|was|are|were|has|had|have|goes|comes|can|may)\b/gi,
    advice: 'name the thing instead of "what is …"',
    most: 3,
  },
  { pattern: /\b(?:tells?|told|telling)\b/gi, advice: 'report, return, show', most: 2 },
  { pattern: /\b(?:asks?|asked|asking)\b/gi, advice: 'send, request, call', most: 5 },
  { pattern: /\b(?:one|ones|those|that|all) that\b/gi, advice: 'use the noun', most: 3 },
  { pattern: /\b(?:says?|said|saying)\b/gi, advice: 'report, state, contain', most: 3 },
  { pattern: /\b(?:by|of|in) which\b/gi, advice: 'begin another sentence', most: 3 },
  { pattern: /\bstands?\b/gi, advice: 'is', most: 0.5 },
  { pattern: /\bbeside\b/gi, advice: 'next to, besides, with', most: 0.5 },
  { pattern: /\b(?:whoever|whatever|whichever)\b/gi, advice: 'name who or what', most: 1 },
  { pattern: /\bnobody\b/gi, advice: 'negate the verb', most: 0.3 },
];

const comments = /\/\*\*?[\s\S]*?\*\/|(?<![:'"`\w])\/\/[^\n]*/g;

/**
 * Prints each habit that is above its limit, with the files that show it most.
 *
 * @returns {boolean} whether all habits are within their limits
 */
export function commentsArePlain() {
  const files = globSync(['src/**/*.ts', 'test/**/*.ts', 'scripts/*.mjs'], {
    cwd: fileURLToPath(root),
    exclude: (path) => path.endsWith('node_modules'),
  }).map((path) => ({ path, text: readComments(readFileSync(new URL(path, root), 'utf8')) }));
  const words = files.reduce((sum, { text }) => sum + countMatches(text, /[a-z']+/gi), 0);
  const above = habits
    .map((habit) => ({ ...habit, rate: (sumMatches(files, habit.pattern) / words) * 10_000 }))
    .filter(({ rate, most }) => rate > most);
  for (const { pattern, advice, most, rate } of above) {
    console.error(
      `Comments match ${pattern.source} ${rate.toFixed(1)} times in 10,000 words. The limit is ${most}: ${advice}.`,
    );
    const worst = files
      .map(({ path, text }) => ({ path, count: countMatches(text, pattern) }))
      .sort((one, other) => other.count - one.count);
    for (const { path, count } of worst.slice(0, 5)) console.error(`  ${count} in ${path}`);
  }
  return above.length === 0;
}

/** The comments of a file, without quoted code. */
function readComments(text) {
  return [...text.matchAll(comments)].map(([comment]) => comment.replace(/`[^`]*`/g, '')).join('\n');
}

function sumMatches(files, pattern) {
  return files.reduce((sum, { text }) => sum + countMatches(text, pattern), 0);
}

function countMatches(text, pattern) {
  return text.match(pattern)?.length ?? 0;
}
