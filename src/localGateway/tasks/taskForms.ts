import { isObject, type JsonObject, nonEmptyString } from '../../base/json.ts';
import { idProblem } from '../../wire/apis/taskRecord/names.ts';
import type { TaskFormat } from '../upstreams/upstream.ts';

/** What the records of one format have of their own. */
export interface TaskForm {
  /** What its tasks make. */
  readonly type: 'video' | 'response' | 'interaction';
  /** How people call it, with an article before. */
  readonly label: string;
  /** The provider's id in a record or in the answer to a create. */
  idIn(record: JsonObject): string | undefined;
  /** The record under another id, in the provider's member and in `id`. */
  withId(record: JsonObject, id: string): JsonObject;
  /** What a request asks for, as text; empty where it says nothing readable. */
  promptIn(body: JsonObject): string;
  /** The field by which a request goes on from an earlier one. */
  readonly earlierField?: 'previous_response_id' | 'previous_interaction_id';
  /** The member of a record that names the task from which it was made; `earlierField` where absent. */
  readonly earlierMember?: string;
  /** The member of the events of a stream that holds the record. */
  readonly eventMember?: 'response' | 'interaction';
  /** Whether a request that makes one may ask for its events at once. */
  readonly streamsWhenMade?: boolean;
  /** Whether the bytes of a completed task come from a route and its record names none. */
  readonly givesContent: boolean;
}

const idAtTop: Pick<TaskForm, 'idIn' | 'withId'> = {
  idIn: ({ id }) => usableId(id),
  withId: (record, id) => ({ ...record, id }),
};

/** By the format of the requests that make tasks. */
export const taskForms: Readonly<Record<TaskFormat, TaskForm>> = {
  responses: {
    ...idAtTop,
    type: 'response',
    label: 'background response',
    earlierField: 'previous_response_id',
    eventMember: 'response',
    streamsWhenMade: true,
    promptIn: ({ input }) => textIn(input),
    givesContent: false,
  },
  interactions: {
    ...idAtTop,
    type: 'interaction',
    label: 'interaction',
    earlierField: 'previous_interaction_id',
    eventMember: 'interaction',
    promptIn: ({ input }) => textIn(input),
    givesContent: false,
  },
  videos: {
    ...idAtTop,
    type: 'video',
    label: 'video',
    earlierMember: 'remixed_from_video_id',
    promptIn: ({ prompt }) => textIn(prompt),
    givesContent: true,
  },
  videoSynthesis: {
    type: 'video',
    label: 'video',
    idIn: ({ output }) => (isObject(output) ? usableId(output.task_id) : undefined),
    withId: (record, id) => ({
      id,
      ...record,
      output: { ...(isObject(record.output) ? record.output : {}), task_id: id },
    }),
    promptIn: ({ input }) => (isObject(input) ? textIn(input.prompt) : ''),
    givesContent: false,
  },
};

/** The upstream's record of a task with this gateway's ids. */
export function underOwnIds(
  {
    format,
    id,
    earlierId,
  }: { readonly format: TaskFormat; readonly id: string; readonly earlierId?: string },
  record: JsonObject,
): JsonObject {
  const { withId, earlierField, earlierMember = earlierField } = taskForms[format];
  const own = withId(record, id);
  if (earlierId === undefined || earlierMember === undefined || typeof own[earlierMember] !== 'string')
    return own;
  return { ...own, [earlierMember]: earlierId };
}

/** An id that can stand in an address. Some servers number what they make. */
function usableId(value: unknown): string | undefined {
  const id = Number.isSafeInteger(value) ? String(value) : nonEmptyString(value);
  return id === undefined || idProblem(id) !== undefined || /^\.{1,2}$/.test(id) ? undefined : id;
}

const maxPromptCharacters = 2_000;
const maxDepth = 8;

/** The text of an input: the last of its turns where it has several. */
function textIn(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value.slice(0, maxPromptCharacters).toWellFormed();
  if (depth > maxDepth) return '';
  if (Array.isArray(value)) {
    for (const each of value.toReversed()) {
      const text = textIn(each, depth + 1);
      if (text !== '') return text;
    }
    return '';
  }
  return isObject(value) ? textIn(value.text ?? value.content ?? value.parts, depth + 1) : '';
}
