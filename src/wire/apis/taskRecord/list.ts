import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import { findList, nextPage, type PageQuery } from '../listPages.ts';
import { decodeTask, type TaskReply } from './decode.ts';
import type { TaskSnapshot } from './snapshot.ts';
import { withNormalNames } from './spelling.ts';

/** The query of a request for a list of tasks. */
export type TaskQuery = PageQuery;

/** One page of a list of tasks, the newest first. */
export interface TaskPage {
  readonly tasks: readonly TaskSnapshot[];
  /** The query for the next page, besides the limit; absent on the last page. */
  readonly next?: TaskQuery;
}

const listKeys = [
  ...['data', 'items', 'tasks', 'results', 'videos', 'generations', 'list', 'records', 'rows', 'jobs'],
  ...['interactions', 'operations', 'predictions', 'task_list', 'taskList', 'job_list', 'jobList', 'entries'],
];

/** The ids of tasks in a list of plain strings. */
const taskId = /^[\w.:/-]{1,512}$/;

/**
 * Reads one page of a task list in any known envelope.
 *
 * @param link the Link header of the reply
 * @returns undefined when this is no task list, and when nothing in it can be read
 */
export function decodeTaskList(reply: unknown, context: TaskReply = {}, link = ''): TaskPage | undefined {
  const found = findList(withNormalNames(reply), listKeys);
  if (!found) return undefined;
  const elements = recordsIn(found.elements);
  if (elements.length === 0 && found.elements.some((element) => element !== null)) return undefined;
  const tasks = elements.map((element) => decodeTask(element, context));
  const next = nextPage(found, { count: tasks.length, lastId: tasks.at(-1)?.id }, link);
  return { tasks, ...(next && tasks.length > 0 && { next }) };
}

/** The records of a list; strings are ids of tasks where nothing else is. */
function recordsIn(elements: readonly unknown[]): readonly JsonObject[] {
  const records = elements.filter(isObject);
  if (records.length > 0) return records;
  const ids = elements.map(nonEmptyString).filter((id) => id !== undefined && taskId.test(id));
  return ids.map((id) => ({ id }));
}
