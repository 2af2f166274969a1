import { isObject, type JsonObject } from '../../../base/json.ts';
import { dateIn } from './dates.ts';
import { firstValue } from './firstValue.ts';
import { membersOf, memberWords } from './memberNames.ts';
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

/** The times of a record and of its results. */
export function readTaskTimes(objects: readonly JsonObject[], results: readonly TaskResult[]): TaskTimes {
  const asides = objects.flatMap(({ meta, metadata }) => [meta, metadata]).filter(isObject);
  const told = Object.entries(keys).map(([name, names]) => {
    const read = names === expiryKeys ? asExpiry : dateIn;
    const sources = [...objects, ...asides];
    return [
      name,
      firstValue(sources, names, read) ?? otherTime(sources, name as keyof TaskTimes, read),
    ] as const;
  });
  const expiries = [
    ...results.map(({ expiresAt }) => expiresAt),
    ...told.filter(([name]) => name === 'expiresAt').map(([, date]) => date),
  ].filter((date) => date !== undefined);
  const first = expiries.toSorted((a, b) => a.getTime() - b.getTime())[0];
  const times = Object.fromEntries(told.filter(([, date]) => date !== undefined));
  return { ...times, ...(first && { expiresAt: first }) };
}

/** Words in the names of other members with a time, such as `failed_at` and `FileExpireTime`. */
const timeWords: Record<keyof TaskTimes, RegExp> = {
  createdAt: /^(created?|creation|submit(ted)?)$/,
  updatedAt: /^(updated?|modified|modify)$/,
  finishedAt: /^(complet(ed?|ion)|finish(ed)?|ended|done|succeeded|failed|cancell?ed)$/,
  expiresAt: /^(expir(es?|ed|y|ation)|valid|available|retained|retention)$/,
};

/** Words in the names of times that are of something else, or only expected. */
const otherWords =
  /^(estimated|expected|eta|est|max|token|session|key|subscription|credential|upload|execution|step|file|last)$/;

function otherTime(
  objects: readonly JsonObject[],
  name: keyof TaskTimes,
  read: (value: unknown) => Date | undefined,
): Date | undefined {
  for (const [key, value] of objects.flatMap(membersOf)) {
    const words = memberWords(key);
    if (!/^(at|time|date|on|until|timestamp)$/.test(words.at(-1) ?? '')) continue;
    const isOther = words.some((word) => otherWords.test(word) && !(name === 'expiresAt' && word === 'file'));
    const date = !isOther && words.some((word) => timeWords[name].test(word)) ? read(value) : undefined;
    if (date) return date;
  }
  return undefined;
}

/** A time at which something expires; not a number of seconds from now. */
export function asExpiry(value: unknown): Date | undefined {
  const date = dateIn(value);
  return date && date.getTime() > minExpiry && date.getTime() < maxExpiry ? date : undefined;
}

const minExpiry = Date.UTC(2015, 0);
const maxExpiry = Date.UTC(2200, 0);
