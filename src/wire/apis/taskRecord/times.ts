import { type JsonObject, nonEmptyString } from '../../../base/json.ts';
import { firstValue } from './firstValue.ts';
import type { TaskResult } from './snapshot.ts';

export interface TaskTimes {
  readonly createdAt?: Date;
  readonly updatedAt?: Date;
  readonly finishedAt?: Date;
  readonly expiresAt?: Date;
}

const keys: Record<keyof TaskTimes, readonly string[]> = {
  createdAt: [
    'created_at',
    'created',
    'createdAt',
    'create_time',
    'createTime',
    'submit_time',
    'submitTime',
    'gmt_create',
  ],
  updatedAt: ['updated_at', 'updated', 'updatedAt', 'update_time', 'updateTime'],
  finishedAt: [
    'completed_at',
    'completed',
    'completedAt',
    'finish_time',
    'finishTime',
    'finished_at',
    'end_time',
    'endTime',
    'completeTime',
  ],
  expiresAt: ['expires_at', 'expire_at', 'expiresAt', 'expireAt'],
};

/** A larger number is a time in milliseconds: as seconds it would be the year 5138. */
const minMilliseconds = 1e11;

/** The times of a record and of its results. */
export function readTaskTimes(objects: readonly JsonObject[], results: readonly TaskResult[]): TaskTimes {
  const told = Object.entries(keys).map(
    ([name, names]) => [name, firstValue(objects, names, asDate)] as const,
  );
  const expiries = [
    ...results.map(({ expiresAt }) => expiresAt),
    ...told.filter(([name]) => name === 'expiresAt').map(([, date]) => date),
  ].filter((date) => date !== undefined);
  const first = expiries.toSorted((a, b) => a.getTime() - b.getTime())[0];
  const times = Object.fromEntries(told.filter(([, date]) => date !== undefined));
  return { ...times, ...(first && { expiresAt: first }) };
}

/**
 * Reads a time in any unit and notation of the known records. 0 and "" mean a time that has not come. Without
 * a zone, `2025-09-25 11:07:28` is China time, as its vendor documents.
 */
export function asDate(value: unknown): Date | undefined {
  if (typeof value === 'number') return dateOf(value < minMilliseconds ? value * 1000 : value);
  const text = nonEmptyString(value)?.trim();
  if (text === undefined) return undefined;
  if (/^\d{1,16}(\.\d{1,9})?$/.test(text)) return asDate(Number(text));
  if (!/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text)) return undefined;
  const zoned = /(z|[+-]\d\d:?\d\d)$/i.test(text);
  return dateOf(Date.parse(zoned ? text : `${text.replace(' ', 'T')}${text.includes(' ') ? '+08:00' : 'Z'}`));
}

function dateOf(milliseconds: number): Date | undefined {
  const date = new Date(milliseconds);
  return milliseconds > 0 && Number.isFinite(date.getTime()) ? date : undefined;
}
