import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import { firstValue } from './firstValue.ts';
import type { TaskResult } from './snapshot.ts';

export interface TaskTimes {
  readonly createdAt?: Date;
  readonly updatedAt?: Date;
  readonly finishedAt?: Date;
  readonly expiresAt?: Date;
}

/** Members with the time at which a result or a record expires. */
export const expiryKeys = [
  ...['expires_at', 'expire_at', 'expiresAt', 'expireAt', 'expire_time', 'expireTime', 'expires_time'],
  ...['expiresTime', 'expiration_time', 'expirationTime', 'expiration', 'expirationDate', 'expiration_date'],
  ...['url_expires_at', 'urlExpiresAt', 'expired_at', 'expiredAt', 'expires_on', 'expiresOn', 'expiry'],
  ...['expires', 'valid_until', 'validUntil', 'download_expires_at', 'video_expires_at', 'url_expire_time'],
];

const keys: Record<keyof TaskTimes, readonly string[]> = {
  createdAt: [
    ...['created_at', 'created', 'createdAt', 'create_time', 'createTime', 'submit_time', 'submitTime'],
    ...['gmt_create', 'created_time', 'createdTime', 'submitted_at', 'submittedAt'],
  ],
  updatedAt: ['updated_at', 'updated', 'updatedAt', 'update_time', 'updateTime', 'updated_time'],
  finishedAt: [
    ...['completed_at', 'completed', 'completedAt', 'finish_time', 'finishTime', 'finished_at', 'finishedAt'],
    ...['end_time', 'endTime', 'ended_at', 'endedAt', 'done_at', 'doneAt', 'completeTime', 'complete_time'],
    ...[
      'completed_time',
      'completedTime',
      'completion_time',
      'completionTime',
      'finished_time',
      'succeeded_at',
    ],
  ],
  expiresAt: expiryKeys,
};

/** A larger number is a time in milliseconds: as seconds it would be the year 5138. */
const minMilliseconds = 1e11;

/** The times of a record and of its results. */
export function readTaskTimes(objects: readonly JsonObject[], results: readonly TaskResult[]): TaskTimes {
  const asides = objects.flatMap(({ meta, metadata }) => [meta, metadata]).filter(isObject);
  const told = Object.entries(keys).map(([name, names]) => {
    const read = names === expiryKeys ? asExpiry : asDate;
    return [name, firstValue([...objects, ...asides], names, read)] as const;
  });
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
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return dateOf(Date.parse(text));
  if (!/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text)) return undefined;
  const zoned = /(z|[+-]\d\d:?\d\d)$/i.test(text);
  return dateOf(Date.parse(zoned ? text : `${text.replace(' ', 'T')}${text.includes(' ') ? '+08:00' : 'Z'}`));
}

/** A time at which something expires; not a number of seconds from now. */
export function asExpiry(value: unknown): Date | undefined {
  const date = asDate(value);
  return date && date.getTime() > minExpiry && date.getTime() < maxExpiry ? date : undefined;
}

const minExpiry = Date.UTC(2015, 0);
const maxExpiry = Date.UTC(2200, 0);

function dateOf(milliseconds: number): Date | undefined {
  const date = new Date(milliseconds);
  return milliseconds > 0 && Number.isFinite(date.getTime()) ? date : undefined;
}
