import { createHash } from 'node:crypto';
import type { Task } from '../record/task.ts';

/** Some systems allow 143 bytes for a name, with date, hash and extension. */
const maxModelBytes = 32;
const maxPromptBytes = 48;

/** Names that only `resultName` makes. */
const ourName = /^\d{4}-\d\d-\d\d_\d\d-\d\d_(?:.*_)?[0-9a-f]{8}(?:-\d+)?$/;

/**
 * The file name of a result, without extension: when its task was made, the model, the first words of the
 * prompt, and a hash. It holds only letters, digits, `-` and `_`, and is the same each time.
 */
export function resultName(task: Task, index: number): string {
  const { key, gateway, taskId, intendedAt, model = '', prompt } = task;
  const hash = createHash('sha256')
    .update(`${gateway} ${taskId ?? key}`)
    .digest('hex')
    .slice(0, 8);
  const number = index === 0 ? '' : `-${index + 1}`;
  return [
    minuteOf(new Date(intendedAt)),
    plainWords(model, maxModelBytes),
    plainWords(prompt, maxPromptBytes),
    hash + number,
  ]
    .filter((part) => part !== '')
    .join('_');
}

/** Whether a file name, without its extension, is one that `resultName` makes. */
export function isResultName(name: string): boolean {
  return ourName.test(name);
}

/** Local time, such as `2026-01-31_23-59`. */
function minuteOf(date: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const day = [String(date.getFullYear()).padStart(4, '0'), two(date.getMonth() + 1), two(date.getDate())];
  return `${day.join('-')}_${two(date.getHours())}-${two(date.getMinutes())}`;
}

/** As many whole words as fit, joined by `-`, or the beginning of a first word that is too long. */
function plainWords(text: string, maxBytes: number): string {
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
