import { type Diagnosis, diagnoseInnerError } from '../classify.ts';
import { reportsFailure } from '../errorBody.ts';
import { isObject } from '../json.ts';
import type { TaskSnapshot } from './taskRecord.ts';
import { classOfWord } from './taskRecordWords.ts';

/**
 * What is wrong with a reply that should have been a task record and is none: a refusal under a good
 * status. A record of a failed task holds an error too, but names its task or its state.
 */
export function refusalIn({ id, word, results, raw }: TaskSnapshot): Diagnosis | undefined {
  if (id !== undefined || word !== undefined || results.length > 0 || !isObject(raw)) return undefined;
  return raw.error || reportsFailure(raw) ? diagnoseInnerError(raw) : undefined;
}

/**
 * The record in the answer to a cancel or a delete; undefined when it only says that it was heard, after
 * which reading the task again is what tells.
 */
export function answeredRecord(snapshot: TaskSnapshot): TaskSnapshot | undefined {
  const { id, word } = snapshot;
  return id !== undefined && word !== undefined && classOfWord(word) !== undefined ? snapshot : undefined;
}
