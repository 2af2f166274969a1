import { createHash } from 'node:crypto';
import { formatLocalDate } from '../../base/localDate.ts';
import type { Task } from '../record/task.ts';

/** Some systems limit the whole name to 143 bytes, including date, hash and extension. */
const maxModelBytes = 32;
const maxPromptBytes = 48;

/** Matches the return values of `buildResultName`. */
const resultNamePattern = /^\d{4}-\d\d-\d\d_\d\d-\d\d_(?:.*_)?[0-9a-f]{8}(?:-\d+)?$/;

/**
 * Builds the file name of a result, without extension: the creation time of its task, the model, the first words of
 * the prompt, and a hash. The name contains only letters, digits, `-` and `_`, and is always the same for a result.
 */
export function buildResultName(task: Task, index: number): string {
  const { key, gateway, taskId, intendedAt, model = '', prompt } = task;
  const hash = createHash('sha256')
    .update(`${gateway} ${taskId ?? key}`)
    .digest('hex')
    .slice(0, 8);
  const number = index === 0 ? '' : `-${index + 1}`;
  return [
    formatLocalMinute(new Date(intendedAt)),
    joinWords(model, maxModelBytes),
    joinWords(prompt, maxPromptBytes),
    hash + number,
  ]
    .filter((part) => part !== '')
    .join('_');
}

/** Whether a file name, without its extension, has the form of `buildResultName`. */
export function isResultName(name: string): boolean {
  return resultNamePattern.test(name);
}

/** Formats a local time, such as `2026-01-31_23-59`. */
function formatLocalMinute(date: Date): string {
  const padTwo = (number: number) => String(number).padStart(2, '0');
  return `${formatLocalDate(date)}_${padTwo(date.getHours())}-${padTwo(date.getMinutes())}`;
}

/** Joins as many whole words as fit by `-`. If the first word is too long, returns its beginning. */
function joinWords(text: string, maxBytes: number): string {
  let joined = '';
  for (const [word] of text
    .slice(0, 1000)
    .normalize('NFC')
    .matchAll(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu)) {
    const longer = joined === '' ? cutToBytes(word, maxBytes) : `${joined}-${word}`;
    if (Buffer.byteLength(longer) > maxBytes) break;
    joined = longer;
  }
  return joined;
}

function cutToBytes(word: string, maxBytes: number): string {
  let cut = '';
  for (const character of word) {
    if (Buffer.byteLength(cut + character) > maxBytes) break;
    cut += character;
  }
  return cut;
}
