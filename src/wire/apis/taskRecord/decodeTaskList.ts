import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import type { ReplyHeaders } from '../../../base/replyHeaders.ts';
import { findList, findNextPage, type ListForm, type PageQuery } from '../../listPages.ts';
import { decodeTask, type TaskReply } from './decodeTask.ts';
import { normalizeNames } from './memberNames.ts';
import type { TaskSnapshot } from './snapshot.ts';
import { findIdProblem } from './taskId.ts';

/** The query of a request for a list of tasks. */
export type TaskQuery = PageQuery;

/** One page of a list of tasks, the newest first. */
export interface TaskPage {
  readonly tasks: readonly TaskSnapshot[];
  /** The query for the next page, besides the limit; absent on the last page. */
  readonly next?: TaskQuery;
}

const ownKeys = [
  'tasks',
  'videos',
  'generations',
  'jobs',
  'interactions',
  'operations',
  'predictions',
  'task_list',
  'taskList',
  'job_list',
  'jobList',
];
const listForm: ListForm = {
  keys: ['data', 'items', ...ownKeys, 'results', 'list', 'records', 'rows', 'entries'],
  ownKeys,
  isElement: (object) => {
    const { id, rawStatus } = decodeElement(object, {});
    return id !== undefined && rawStatus !== undefined;
  },
};

/** Matches the ids in a list of plain strings. */
const taskIdPattern = /^[\w.:/-]{1,512}$/;

/**
 * Reads one page of a task list in any known envelope.
 *
 * @param headers the headers of the reply, which may link to the next page
 * @returns undefined if this is not a task list, or if no element can be read
 */
export function decodeTaskList(
  reply: unknown,
  context: TaskReply = {},
  headers: ReplyHeaders = {},
): TaskPage | undefined {
  const found = findList(normalizeNames(reply), listForm);
  if (!found) return undefined;
  const elements = readRecords(found.elements);
  if (elements.length === 0 && found.elements.some((element) => element !== null)) return undefined;
  const tasks = elements.map((element) => decodeElement(element, context));
  const next = findNextPage(found, { count: tasks.length, lastId: tasks.at(-1)?.id }, headers);
  return { tasks, ...(next && { next }) };
}

/** Decodes an element of a list. In a list, the id of the request is also the id of the task (fal.ai). */
function decodeElement(element: JsonObject, context: TaskReply): TaskSnapshot {
  const task = decodeTask(element, context);
  const requestId = nonEmptyString(element.request_id) ?? nonEmptyString(element.requestId);
  const isUsable = requestId !== undefined && findIdProblem(requestId) === undefined;
  return task.id === undefined && isUsable ? { ...task, id: requestId } : task;
}

/** The records of a list. Strings are ids of tasks if the list has no objects. */
function readRecords(elements: readonly unknown[]): readonly JsonObject[] {
  const records = elements.filter(isObject);
  if (records.length > 0) return records;
  const ids = elements.map(nonEmptyString).filter((id) => id !== undefined && taskIdPattern.test(id));
  return ids.map((id) => ({ id }));
}
